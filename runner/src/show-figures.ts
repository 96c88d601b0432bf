/** Let `console.log` show the figures of an object. It cannot read private fields. */
export function showFigures(object: { toJSON(): unknown }): void {
  // Not a method, because a bundler keeps a class with a computed name even if no code uses the class.
  Object.defineProperty(object, Symbol.for('nodejs.util.inspect.custom'), { value: () => object.toJSON() });
}
