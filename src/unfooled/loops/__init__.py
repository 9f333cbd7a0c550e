"""Robust training in people's own loops: transformers' Trainer, plain PyTorch, and trials while anybody trains."""
