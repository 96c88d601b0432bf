import { z } from 'zod';
import { findNear } from '../../core/settings/read-settings';

export interface ParameterProblem {
  code: 'unknown_parameter' | 'invalid_parameter' | 'too_heavy';
  field: string;
  reason: string;
}

export type ReadParameters<T> = { ok: true; value: T } | { ok: false; problem: ParameterProblem };

/**
 * The query string as an object of the given shape. A parameter that the shape has as an array may be
 * repeated, any other may not. What the shape does not have is refused by name, with the nearest it has: a
 * mistyped filter would otherwise answer with everything.
 */
export function readParameters<T extends z.ZodRawShape>(
  search: URLSearchParams,
  shape: z.ZodObject<T>,
): ReadParameters<z.infer<z.ZodObject<T>>> {
  const known = Object.keys(shape.shape);
  const given: Record<string, string | string[]> = {};
  for (const name of new Set(search.keys())) {
    if (!known.includes(name)) return { ok: false, problem: unknown(name, known) };
    const values = search.getAll(name);
    if (isRepeatable(shape.shape[name])) given[name] = values;
    else if (values.length === 1) given[name] = values[0] ?? '';
    else return invalid(name, 'is given more than once');
  }
  const parsed = shape.safeParse(given);
  if (parsed.success) return { ok: true, value: parsed.data };
  const issue = parsed.error.issues[0];
  return invalid(String(issue?.path[0] ?? ''), issue?.message ?? 'is not valid');
}

function invalid(field: string, reason: string): { ok: false; problem: ParameterProblem } {
  return { ok: false, problem: { code: 'invalid_parameter', field, reason } };
}

function unknown(name: string, known: readonly string[]): ParameterProblem {
  const reason =
    known.length === 0 ? 'this takes no parameters' : `there is no such parameter here. ${hint(name, known)}`;
  return { code: 'unknown_parameter', field: name.slice(0, 100), reason };
}

/** The name that was probably meant; where none is near, those that there are. */
function hint(name: string, known: readonly string[]): string {
  const near = findNear(name, known);
  return near === null ? `There are: ${known.join(', ')}.` : `Did you mean ${near}?`;
}

/** Whether a field of a shape is an array, optional or not. */
export function isRepeatable(field: unknown): boolean {
  const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
  return inner instanceof z.ZodArray;
}
