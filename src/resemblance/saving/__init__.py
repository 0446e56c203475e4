"""Save fitted models in files and load them, in one versioned format without pickle."""

from resemblance.saving.files import load, save
from resemblance.saving.onnx import save_onnx

__all__ = ["load", "save", "save_onnx"]
