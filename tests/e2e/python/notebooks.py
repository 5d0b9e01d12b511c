"""Runs a notebook of docs/examples/notebooks. Usage: notebooks.py NAME, in a user's folder; 77: packages are missing."""

import pathlib
import sys

try:
    import nbformat
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    import ipykernel  # noqa: F401
    import numpy  # noqa: F401
except ImportError as fault:
    print(f"{fault}: python3-nbclient, python3-nbformat, python3-ipykernel and python3-numpy are needed")
    sys.exit(77)

folder = pathlib.Path(__file__).parents[3] / "docs" / "examples" / "notebooks"
notebook = nbformat.read(folder / (sys.argv[1] + ".ipynb"), as_version=4)
nbformat.validate(notebook)
code = [cell for cell in notebook.cells if cell.cell_type == "code"]
assert not any(cell.outputs or cell.execution_count for cell in code), "it is stored with results of one machine"
# Sockets in the user's folder: tests share no ports.
manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(pathlib.Path("kernel").resolve()))
NotebookClient(notebook, km=manager, timeout=500).execute()
shown = [output.data.get("text/html", "") for cell in code for output in cell.outputs if "data" in output]
assert any("data:image/svg+xml" in text for text in shown), shown
