"""What pandas and DuckDB read from a CSV and a Parquet file of candor export.

    tables.py FILE.csv FILE.parquet < KINDS.json

KINDS.json gives each column's kind. Prints, for each reader and file, the kinds
that the reader has for the columns, their order, and the rows, null for a
missing value.
"""

import json
import sys

import duckdb
import pandas

PANDAS = {"text": "string", "integer": "Int64", "real": "Float64", "boolean": "boolean"}
DUCKDB = {"text": "VARCHAR", "integer": "BIGINT", "real": "DOUBLE", "boolean": "BOOLEAN"}


def of_pandas(frame):
    names = {"str": "text", "string": "text", "object": "text", "Int64": "integer", "int64": "integer",
             "Float64": "real", "float64": "real", "boolean": "boolean", "bool": "boolean"}
    rows = [
        {name: None if pandas.isna(v) else v.item() if hasattr(v, "item") else v for name, v in zip(frame.columns, row)}
        for row in frame.itertuples(index=False, name=None)
    ]
    kinds = {name: names.get(str(dtype), str(dtype)) for name, dtype in frame.dtypes.items()}
    return {"kinds": kinds, "order": list(frame.columns), "rows": rows}


def of_duckdb(relation):
    names = {sql: kind for kind, sql in DUCKDB.items()}
    kinds = {name: names.get(str(sql), str(sql)) for name, sql in zip(relation.columns, relation.types)}
    rows = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
    return {"kinds": kinds, "order": relation.columns, "rows": rows}


def main(csv, parquet):
    kinds = json.load(sys.stdin)
    read_csv = {
        "dtype": {name: PANDAS[kind] for name, kind in kinds.items()},
        "keep_default_na": False, "na_values": [""],
    }
    json.dump({
        "pandas of csv": of_pandas(pandas.read_csv(csv, **read_csv)),
        "pandas of parquet": of_pandas(pandas.read_parquet(parquet, dtype_backend="numpy_nullable")),
        "duckdb of csv": of_duckdb(duckdb.read_csv(csv, dtype={name: DUCKDB[kind] for name, kind in kinds.items()})),
        "duckdb of parquet": of_duckdb(duckdb.read_parquet(parquet)),
    }, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
