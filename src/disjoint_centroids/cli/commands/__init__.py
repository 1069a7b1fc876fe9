"""The subcommands of ``ndc``, one module each."""
