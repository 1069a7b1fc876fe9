import pytest

from disjoint_centroids.tables import read_gene_rows

pytestmark = pytest.mark.filterwarnings("error")


def test_samples_become_rows_and_repeated_names_differ(tmp_path):
    file = tmp_path / "set.txt"
    file.write_text('GENES\tB\tA\n"g_at"\t1\t2\n"g_at"\t3\t4\n"g_at"\t5\t6\nh\t-1e3\t0\n\n')
    table = read_gene_rows(file)
    assert table.values.tolist() == [[1, 3, 5, -1000], [2, 4, 6, 0]]
    assert table.labels.tolist() == ["B", "A"]
    assert table.genes.tolist() == ["g_at", "g_at.1", "g_at.2", "h"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"gene,A,B\ng,1,2\n", "does not start with a header"),
        (b"GENES\n", "does not start with a header"),
        (b"GENES\tA\tB\n", "no genes"),
        (b"GENES\tA\tB\ng\t1\n", r"'g' \(row 2\) has 1 values; the header names 2"),
        (b"GENES\tA\tB\ng\t1\tx\n", r"'g' \(row 2\).*must be a number"),
        ("GENES\tÄ\tB\n".encode("latin-1"), "not UTF-8"),
    ],
    ids=["empty", "comma", "no labels", "no genes", "short row", "word", "encoding"],
)
def test_damaged_files_are_named_with_what_is_wrong(tmp_path, content, message):
    file = tmp_path / "set.txt"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message) as raised:
        read_gene_rows(file)
    assert str(file) in str(raised.value)
