/** Reading objects whose shape nobody vouches for: messages come from any vendor, in any version. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The message itself where an SDK wraps it: `{type: 'assistant', message: {role, content}}`. */
export function unwrapMessage(message: object): Fields {
  const fields = message as Fields;
  return fields.role === undefined && isFields(fields.message) ? fields.message : fields;
}
