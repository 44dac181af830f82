"""Fitted models in files that hold data and no code."""

from sskpca.saving._model_file import ModelFileError, load_model, save_model

__all__ = ["ModelFileError", "load_model", "save_model"]
