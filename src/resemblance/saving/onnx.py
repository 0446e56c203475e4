"""Write a fitted map of features as an ONNX file."""

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from resemblance.arrays import ONE_VIEW, Floats
from resemblance.errors import SettingError
from resemblance.files import whole
from resemblance.fitting import OrdinalEmbedding
from resemblance.forms import FeatureMap, FeaturePrior, KernelMap, LinearMap
from resemblance.optional import require

INPUT, OUTPUT = "features", "positions"
OPSET = 18  # version of ONNX operators, which onnxruntime 1.19 can read
IR_VERSION = 10
CARD = "resemblance"  # key of the metadata for facts about the model, as JSON


def save_onnx(
    model: OrdinalEmbedding, path: str | PathLike[str], card: Mapping[str, Any] | None = None
) -> Path:
    r"""Write the map from features of new items to positions as an ONNX network.

    .. math:: x = A' f + b, \qquad \text{or} \qquad
       x = A' k(f) + b, \quad k_i(f) = e^{-\lVert f - z_i \rVert^2 / (2 h^2)}

    The first form is a linear map A of features f, the second uses kernels k_i of landmarks z_i.
    The input ``features``, (n, d) in single precision, are raw features as in the fit: the network
    centres, scales and rotates them. The output ``positions`` (n, p) equals the result of
    ``transform``; it is computed in double precision. To map pictures directly, append the network
    to the network that computes the features (``onnx.compose.merge_models``).

    Parameters
    ----------
    model : OrdinalEmbedding
        A fitted model with a map: a :class:`LinearMap`, a :class:`KernelMap` with the kernel "rbf",
        or a :class:`FeaturePrior` with one of these.
    path : path
        The file, which is written atomically.
    card : mapping, optional
        Further facts about the model, stored as JSON in the file's metadata with the names of the
        features and the class of the model.

    Returns
    -------
    Path
        The path of the file.

    Raises
    ------
    SettingError
        If the model is not fitted, maps no features, or has another kernel.
    UnavailableError
        If onnx is not installed: ``pip install "resemblance[networks]"``.

    Examples
    --------
    >>> import resemblance as rs
    >>> from tempfile import TemporaryDirectory
    >>> features = np.random.default_rng(0).normal(size=(20, 3))
    >>> rows = np.array([np.random.default_rng(i).permutation(20)[:3] for i in range(200)])
    >>> answers = rs.SpaceObserver(features[:, :2], random_state=0).answer(
    ...     rs.Triplets(rows, rs.Items(features=features))
    ... )
    >>> model = rs.STE(2, form=rs.forms.LinearMap(), penalty=0.1).fit(answers)
    >>> with TemporaryDirectory() as folder:
    ...     save_onnx(model, f"{folder}/head.onnx").name
    'head.onnx'
    """
    onnx = require("an ONNX file needs", "onnx")
    form = getattr(model, "form_", None)
    if not isinstance(form, FeatureMap):
        raise SettingError(
            f"this {type(model).__name__} maps no features: fit one with form=forms.LinearMap(), "
            "forms.KernelMap() or FeaturePrior()."
        )
    steps, arrays = _steps(form, model.components_, model.offset_)
    helper, numbers = onnx.helper, onnx.TensorProto
    names = getattr(model, "feature_names_in_", None)
    fields = {"model": type(model).__name__, "form": form.name, **(card or {})}
    fields |= {} if names is None else {"features": [str(name) for name in names]}
    graph = helper.make_graph(
        [helper.make_node(operator, given, [out], **more) for operator, given, out, more in steps],
        "resemblance",
        [helper.make_tensor_value_info(INPUT, numbers.FLOAT, ["n", model.n_features_in_])],
        [helper.make_tensor_value_info(OUTPUT, numbers.FLOAT, ["n", len(model.offset_)])],
        [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()],
    )
    network = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
    network.ir_version = IR_VERSION
    helper.set_model_props(network, {CARD: json.dumps(fields)})
    onnx.checker.check_model(network)
    target = Path(path)
    with whole(target) as part:
        Path(part).write_bytes(network.SerializeToString())
    return target


Step = tuple[str, list[str], str, dict[str, Any]]


def _steps(form: FeatureMap, components: Floats, offset: Floats) -> tuple[list[Step], Any]:
    double = {"to": 11}  # In TensorProto, 11 is DOUBLE and 1 is FLOAT.
    steps: list[Step] = [("Cast", [INPUT], "wide", double)]
    matrix, shift = np.asarray(components, dtype=float), -np.asarray(offset, dtype=float)
    arrays: dict[str, Floats] = {}
    given = "wide"
    if isinstance(form, FeaturePrior):
        if list(form.maps) != [ONE_VIEW]:
            raise SettingError("an ONNX file needs a single view of features: fit one view.")
        form = form.maps[ONE_VIEW]
        matrix = matrix / form.size
        shift = shift - form.centre @ matrix
        if form.unit is not None:
            arrays["unit"], given = np.asarray(form.unit, dtype=float), "scaled"
            steps.append(("Div", ["wide", "unit"], given, {}))
        form = form.map
    if isinstance(form, KernelMap):
        if form.kernel != "rbf":
            raise SettingError(
                f"the kernel {form.kernel!r} cannot be written as ONNX: fit a LinearMap, or "
                'a KernelMap of the kernel "rbf".'
            )
        assert form.bandwidth is not None
        anchors = np.asarray(form._anchors, dtype=float)
        middle = anchors.mean(axis=0)  # Centring reduces rounding errors of squared distances.
        z = anchors - middle
        arrays |= {"middle": middle, "twice": 2.0 * z.T, "squares": (z**2).sum(axis=1)}
        arrays |= {"width": np.array(-0.5 / float(form.bandwidth) ** 2), "none": np.array(0.0)}
        matrix = form._whiten @ matrix
        steps += [
            ("Sub", [given, "middle"], "centred", {}),
            ("ReduceSumSquare", ["centred", "last"], "own", {"keepdims": 1}),
            ("MatMul", ["centred", "twice"], "products", {}),
            ("Sub", ["own", "products"], "partly", {}),
            ("Add", ["partly", "squares"], "rough", {}),
            ("Max", ["rough", "none"], "distances", {}),
            ("Mul", ["distances", "width"], "powers", {}),
            ("Exp", ["powers"], "kernel", {}),
        ]
        arrays["last"] = np.array([1], dtype=np.int64)
        given = "kernel"
    elif not isinstance(form, LinearMap):
        raise SettingError(f"a {form.name} cannot be written as ONNX: fit a linear or kernel map.")
    arrays |= {"matrix": matrix, "shift": shift}
    steps += [
        ("MatMul", [given, "matrix"], "turned", {}),
        ("Add", ["turned", "shift"], "found", {}),
        ("Cast", ["found"], OUTPUT, {"to": 1}),
    ]
    return steps, arrays
