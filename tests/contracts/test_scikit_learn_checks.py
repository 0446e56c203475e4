"""scikit-learn's own checks of an estimator: run as they are, said again of judgments, or left out.

Theirs draw a table of features; an estimator of ours takes rows of items, so most would only see
that it refuses such a table.
"""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_validate
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_is_fitted

import resemblance as rs

AS_THEY_ARE = {
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_get_tags_default_keys",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_estimators_unfitted",
    "check_fit1d",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_n_features_in_after_fitting",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_transformers_unfitted",
    "check_valid_tag_types",
}
OF_JUDGMENTS = {  # the tests below
    "check_dict_unchanged",
    "check_dont_overwrite_attributes",
    "check_dont_overwrite_parameters",
    "check_estimators_dtypes",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_fit_score_takes_y",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_n_features_in",
    "check_pipeline_consistency",
    "check_readonly_memmap_input",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_pandas_series",
    "check_sample_weights_shape",
}
LEFT_OUT = {
    "check_all_zero_sample_weights_error": "asks for its own words",
    "check_array_api_input": "judgments are whole numbers in memory",
    "check_dtype_object": "objects are refused: they may be names",
    "check_complex_data": "refused as no whole numbers, in our words",
    "check_estimator_sparse_array": "there is no sparse table of judgments",
    "check_estimator_sparse_matrix": "there is no sparse table of judgments",
    "check_estimator_sparse_tag": "there is no sparse table of judgments",
    "check_sample_weight_equivalence_on_sparse_data": "there is no sparse table of judgments",
    "check_estimators_empty_data_messages": "asks for its own words",
    "check_estimators_nan_inf": "asks for its own words; judgments have tests of their own",
    "check_estimators_partial_fit_n_features": "CKL only: of answers one by one",
    "check_fit2d_1feature": "one column holds no judgment",
    "check_fit2d_1sample": "asks for its own words",
    "check_fit2d_predict1d": "one dimension holds no judgment",
    "check_nonsquare_error": "no kernel of samples",
    "check_positive_only_tag_during_fit": "ids below 0 are refused in our words",
    "check_transformer_data_not_an_array": "transform gives a row for each item, not for each row",
    "check_transformer_general": "transform gives a row for each item, not for each row",
    "check_transformer_n_iter": "transform gives a row for each item, not for each row",
    "check_transformer_preserve_dtypes": "positions are float64, judgments int32",
}
TRIPLETS = np.array([[0, 1, 2], [0, 1, 3], [1, 0, 3], [2, 3, 0], [3, 2, 0], [3, 2, 1]] * 5)
KINDS = {"STE": rs.STE, "TSTE": rs.TSTE, "CKL": rs.CKL, "SOE": rs.SOE, "GNMDS": rs.GNMDS}


def checks_of(estimator):
    """Find all checks of an estimator, as if it took a table of features."""
    tags = estimator.__sklearn_tags__()
    tags.input_tags.two_d_array = True
    estimator.__sklearn_tags__ = lambda: tags
    found = estimator_checks._yield_all_checks(estimator, legacy=True)
    return {getattr(check, "func", check).__name__: check for check in found}


@pytest.mark.parametrize("kind", [rs.STE, rs.SPoSE, rs.NonmetricMDS, rs.MLDS])
def test_every_check_of_theirs_is_run_said_again_or_left_out_for_a_reason(kind):
    found = checks_of(kind())
    assert not set(found) - AS_THEY_ARE - OF_JUDGMENTS - set(LEFT_OUT)
    run = AS_THEY_ARE.intersection(found)
    assert len(run) >= 8
    for name in sorted(run):
        found[name](kind.__name__, kind())


@pytest.fixture(params=KINDS)
def model(request):
    return KINDS[request.param](1, random_state=0)


def test_a_fit_returns_itself_changes_no_setting_and_says_that_it_is_fitted(model):
    before, given = clone(model).get_params(), TRIPLETS.copy()
    assert model.fit(TRIPLETS, None) is model
    assert str(model.get_params()) == str(before)
    check_is_fitted(model)
    assert model.n_features_in_ == 3
    told = set(vars(model)) - set(before)
    assert all(name.endswith("_") or name.startswith("_") for name in told)
    state = {name: repr(value) for name, value in vars(model).items()}
    model.predict(TRIPLETS), model.predict_proba(TRIPLETS), model.transform(TRIPLETS)
    assert {name: repr(value) for name, value in vars(model).items()} == state
    np.testing.assert_array_equal(TRIPLETS, given)


@pytest.mark.parametrize(
    "given",
    [
        np.asfortranarray(TRIPLETS),
        TRIPLETS.astype(np.int64),
        TRIPLETS.astype(float),
        TRIPLETS.tolist(),
    ],
    ids=["columns", "int64", "float", "list"],
)
def test_the_same_numbers_give_the_same_positions(given):
    fitted = rs.STE(1, random_state=0).fit(TRIPLETS)
    np.testing.assert_array_equal(
        rs.STE(1, random_state=0).fit(given).embedding_, fitted.embedding_
    )
    np.testing.assert_array_equal(fitted.predict(given), fitted.predict(TRIPLETS))


def test_a_fit_can_be_done_again_from_memory_that_is_read_only_and_kept(model):
    TRIPLETS.flags.writeable = False
    try:
        first = model.fit(TRIPLETS).embedding_
        again = model.fit(TRIPLETS).embedding_
    finally:
        TRIPLETS.flags.writeable = True
    np.testing.assert_array_equal(first, again)
    kept = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(kept.predict(TRIPLETS), model.predict(TRIPLETS))


def test_rows_are_predicted_each_for_itself(model):
    model.fit(TRIPLETS)
    order = np.random.default_rng(0).permutation(len(TRIPLETS))
    whole = model.predict(TRIPLETS)
    np.testing.assert_array_equal(model.predict(TRIPLETS[order]), whole[order])
    parts = [model.predict(TRIPLETS[k : k + 7]) for k in range(0, len(TRIPLETS), 7)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_weights_of_any_form_are_repeats_and_stay_as_they_are(model):
    weight = np.tile([1.0, 2.0, 1.0], 10)
    model = model.set_params(penalty=0.1) if "SOE" not in repr(model) else model
    losses = [
        clone(model).fit(TRIPLETS, sample_weight=given).score(TRIPLETS)
        for given in (weight, weight.tolist(), pd.Series(weight))
    ]
    assert len(set(losses)) == 1
    assert weight[:3].tolist() == [1, 2, 1]
    repeated = clone(model).fit(np.repeat(TRIPLETS, weight.astype(int), axis=0))
    weighted = clone(model).fit(TRIPLETS, sample_weight=weight)
    assert weighted.loss_ == pytest.approx(repeated.loss_, rel=1e-3, abs=1e-6)
    with pytest.raises(rs.errors.JudgmentError):
        clone(model).fit(TRIPLETS, sample_weight=weight[:-1])


RNG = np.random.default_rng(0)
ROWS = np.sort([RNG.choice(9, 3, replace=False) for _ in range(240)], axis=1)
QUESTIONS = np.column_stack([ROWS[:, 1], RNG.permuted(ROWS[:, ::2], axis=1)])  # heads in between
LENGTHS = np.abs(QUESTIONS[:, 1:] - QUESTIONS[:, :1])
SIDES = (LENGTHS[:, 0] < LENGTHS[:, 1]) ^ (np.arange(240) % 8 == 0)  # one of eight answers is off
SIGNS = np.where(SIDES, 1, -1)
CLASSIFIERS = KINDS | {"MLDS": lambda n, random_state: rs.MLDS()}


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_their_scorers_say_of_responses_what_ours_say_of_judgments(kind):
    model = CLASSIFIERS[kind](1, random_state=0)
    scoring = {"theirs": "accuracy", "ours": lambda model, X, y: model.score(X, y)}
    if has_likelihood := kind not in ("SOE", "GNMDS"):
        losses = {"their loss": "neg_log_loss", "our loss": rs.scores.neg_log_loss}
        scoring |= {**losses, "area": "roc_auc"}
    settings = {"cv": 3, "scoring": scoring, "error_score": "raise"}
    found = cross_validate(model, QUESTIONS, SIGNS, **settings)
    np.testing.assert_allclose(found["test_theirs"], found["test_ours"], atol=0.01)
    if has_likelihood:
        np.testing.assert_allclose(found["test_their loss"], found["test_our loss"], atol=1e-9)
        assert (found["test_area"] > 0.6).all()


def test_what_is_a_response_to_questions_is_none_to_judgments():
    model = rs.STE(1, random_state=0).fit(QUESTIONS, SIGNS)
    assert model.classes_.tolist() == [-1, 1]
    assert is_classifier(model)
    answers = rs.Triplets.from_cblearn(QUESTIONS, SIGNS)
    agrees = model.predict(QUESTIONS) == SIGNS
    np.testing.assert_array_equal(model.predict(answers) == 0, agrees)
    right = np.where(SIDES, 1, 0)
    columns = model.predict_proba(QUESTIONS)[np.arange(240), right]
    np.testing.assert_allclose(columns, model.predict_proba(answers)[:, 0], rtol=1e-12)
    again = model.fit(answers)
    assert not is_classifier(again)
    assert not hasattr(again, "classes_")
    with pytest.raises(rs.errors.JudgmentError, match="leave y out"):
        model.fit(answers, SIGNS)
