"""Parts of model files that would make something happen, if reading a model trusted what is in it."""

import itertools
import json
import os

NUMBERS = itertools.count(1)


def node(loader, module, name, **more):
    return {"__loader__": loader, "__module__": module, "__class__": name, "__id__": next(NUMBERS)} | more


def constant(value):
    return node("JsonNode", "builtins", "str", content=json.dumps(value), is_json=True)


def arguments(*nodes):
    return node("TupleNode", "builtins", "tuple", content=list(nodes))


def hostile(marker):
    """Nodes that would make something happen, by the name that must be in the refusal."""
    make = arguments(constant(str(marker)))
    function = node("FunctionNode", "os", "mkdir")
    empty = node("DictNode", "builtins", "dict", content={}, key_types=node("ListNode", "builtins", "list", content=[]))
    return {
        "os.system": node("FunctionNode", "os", "system"),
        "posix.system": node("TypeNode", "posix", "system"),
        "builtins.eval": node("TypeNode", "builtins", "eval"),
        "builtins.exec": node("FunctionNode", "builtins", "exec"),
        "builtins.getattr": node("FunctionNode", "builtins", "getattr"),
        "subprocess.Popen": node(
            "ConstructorFromReduceNode",
            "subprocess",
            "Popen",
            content=arguments(node("ListNode", "builtins", "list", content=[constant("mkdir"), constant(str(marker))])),
        ),
        "os.mkdir": node("ConstructorFromReduceNode", "os", "mkdir", content=make),
        "os.makedirs": node("ListNode", "os", "makedirs", content=[]),
        "functools.partial": node(
            "PartialNode",
            "functools",
            "partial",
            content={"func": function, "args": make, "kwds": empty, "namespace": constant(None)},
        ),
        "operator.methodcaller": node("OperatorFuncNode", "operator", "methodcaller", attrs=make),
        "builtins.str": node("ConstructorFromReduceNode", "builtins", "str", content=make),
        "numpy.load": node("FunctionNode", "numpy", "load"),
        "numpy.exp": node("FunctionNode", "numpy", "exp"),
        "sklearn.linear_model._logistic.LogisticRegression": node(
            "ObjectNode", "sklearn.linear_model._logistic", "LogisticRegression", content=empty
        ),
        "sklearn.tree._tree.Tree": node("TreeNode", "sklearn.tree._tree", "Tree", content=empty),
        "disjoint_centroids.cli.main": node("FunctionNode", "disjoint_centroids.cli", "main"),
        "disjoint_centroids.transforms._log2": node("FunctionNode", "disjoint_centroids.transforms", "_log2"),
        "disjoint_centroids.optimal_partition": node("FunctionNode", "disjoint_centroids", "optimal_partition"),
        "disjoint_centroids.OwnershipStability": node(
            "ObjectNode", "disjoint_centroids", "OwnershipStability", content=empty
        ),
        "disjoint_centroids.NearestDisjointCentroid": node("TypeNode", "disjoint_centroids", "NearestDisjointCentroid"),
        "disjoint_centroids.centroids.classifier.NearestDisjointCentroid": node(
            "ObjectNode", "disjoint_centroids.centroids.classifier", "NearestDisjointCentroid", content=empty
        ),
        "disjoint_centroids.centroids.path.DisjointCentroidPath": node(
            "ObjectNode", "disjoint_centroids.centroids.path", "DisjointCentroidPath", content=make
        ),
        "disjoint_centroids.panels.model.PanelModel": node(
            "ObjectNode", "disjoint_centroids.panels.model", "PanelModel", content=make
        ),
        "disjoint_centroids.panels.conformal.FoldModel": node(
            "ConstructorFromReduceNode", "disjoint_centroids.panels.conformal", "FoldModel", content=make
        ),
        "disjoint_centroids.centroids.extensions.on_partition.OnPartition": node(
            "ObjectNode", "disjoint_centroids.centroids.extensions.on_partition", "OnPartition", content=empty
        ),
        "import_me.Thing": node("ObjectNode", "import_me", "Thing", content=empty),
        "None.None": node("CachedNode", None, None),
    }


def as_root(schema, part):
    return part | {"protocol": schema["protocol"], "_skops_version": schema["_skops_version"]}


def as_attribute(schema, part):
    schema["content"]["content"]["more"] = part


def _as_a_key_type(schema, part):
    schema["content"]["key_types"]["content"][0] = part


def _in_an_array(schema, part):
    shape = arguments(constant(1))
    array = node("NdArrayNode", "numpy", "ndarray", type="json", content=[part], shape=shape)
    schema["content"]["content"]["steps"] = array


def _under_an_old_protocol(schema, part):
    schema["protocol"] = 0
    schema["content"]["content"]["steps"] = part


PLACES = [as_root, as_attribute, _as_a_key_type, _in_an_array, _under_an_old_protocol]


def attributes(schema):
    """Of the classifier, the last step: nodes by name."""
    return schema["content"]["content"]["steps"]["content"][-1]["content"][1]["content"]["content"]


class Touch:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)
