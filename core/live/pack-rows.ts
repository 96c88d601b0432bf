/**
 * Rows of one kind on their way from the server into a page, as text: names are said once, and so is what all rows
 * agree on. What is handed over as objects is spelled out row by row and revived value by value.
 */

/** 0: a value of its own in each row; a list of one: what all rows hold; else the fields of an object they all are. */
type Shape = 0 | [unknown] | { [field: string]: Shape };

type Fields = Record<string, unknown>;

/** JSON of the rows; `unpackRows` gives them back as JSON would. */
export function packRows(rows: readonly object[]): string {
  const shape = shapeOf(rows);
  return JSON.stringify({ shape, rows: rows.map((row) => flatten(row, shape, [])) });
}

/** The rows are taken as they are: they come from the server that delivered the page. */
export function unpackRows<T extends object>(text: string): T[] {
  const { shape, rows } = JSON.parse(text) as { shape: Shape; rows: unknown[][] };
  return rows.map((values) => {
    let next = 0;
    return build(shape, () => values[next++]) as T;
  });
}

function shapeOf(values: readonly unknown[]): Shape {
  const first = values[0];
  if (!isFields(first)) {
    if (first === undefined || first instanceof Date || values.length < 2) return 0;
    const text = JSON.stringify(first);
    return values.every((value) => value === first || JSON.stringify(value) === text) ? [first] : 0;
  }
  const names = namesOf(first);
  const isOneKind = values.every((value) => isFields(value) && isSame(namesOf(value), names));
  if (!isOneKind || names.length === 0) return 0;
  return Object.fromEntries(
    names.map((name) => [name, shapeOf(values.map((value) => (value as Fields)[name]))]),
  );
}

function flatten(value: unknown, shape: Shape, into: unknown[]): unknown[] {
  if (shape === 0) into.push(value);
  else if (!Array.isArray(shape)) {
    for (const [name, inner] of Object.entries(shape)) flatten((value as Fields)[name], inner, into);
  }
  return into;
}

function build(shape: Shape, next: () => unknown): unknown {
  if (shape === 0) return next();
  if (Array.isArray(shape)) return shape[0];
  return Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, build(inner, next)]));
}

/** As JSON has them: what is undefined is not there. */
function namesOf(value: Fields): string[] {
  return Object.keys(value).filter((name) => value[name] !== undefined);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
