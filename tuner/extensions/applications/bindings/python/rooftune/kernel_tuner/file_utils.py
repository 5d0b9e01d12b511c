"""Names of Kernel Tuner's module file_utils."""

from ._results import store_metadata_file, store_output_file  # noqa: F401
