import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { findNear } from '../../core/settings/read-settings';
import { readBody } from '../ingest/read-body';

const MAX_BYTES = 64 * 1024;

export type ReadChange =
  | { ok: true; value: unknown }
  | { ok: false; status: 400 | 413 | 415; code: string; field: string; reason: string };

/**
 * The body of a request that changes something, checked against its shape. JSON must be named as such: a form
 * of another site cannot send that type without asking first. The first thing wrong is named by its path in the
 * body, as in `thresholds.warning`.
 */
export async function readChange(request: IncomingMessage, shape: z.ZodObject | null): Promise<ReadChange> {
  if (shape === null) {
    // Nothing is expected; what was sent all the same is not read.
    request.resume();
    return { ok: true, value: {} };
  }
  if (request.headers['content-type'] === undefined) {
    const reason = 'The body must be JSON: send it with "Content-Type: application/json".';
    return { ok: false, status: 415, code: 'unsupported_media_type', field: '', reason };
  }
  const body = await readBody(request, MAX_BYTES);
  if (!body.ok) return { ok: false, status: body.status, code: body.code, field: '', reason: body.reason };
  const given = parseJson(body.text);
  if (given === undefined) {
    return { ok: false, status: 400, code: 'invalid_body', field: '', reason: 'The body is no JSON.' };
  }
  const parsed = shape.safeParse(given);
  if (parsed.success) return { ok: true, value: given };
  return { ok: false, status: 400, code: 'invalid_body', ...firstProblem(parsed.error, shape) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function firstProblem(error: z.ZodError, shape: z.ZodObject): { field: string; reason: string } {
  const issue = error.issues[0];
  const path = (issue?.path ?? []).map(String);
  if (issue?.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const known = path.length === 0 ? Object.keys(shape.shape) : keysAt(shape, path);
    const near = findNear(key, known);
    const hint = near === null ? `There are: ${known.join(', ')}.` : `Did you mean ${near}?`;
    return { field: [...path, key.slice(0, 100)].join('.'), reason: `there is no such field here. ${hint}` };
  }
  return { field: path.join('.'), reason: issue?.message ?? 'is not valid' };
}

/** Names of the fields of an object inside the shape. */
function keysAt(shape: z.ZodObject, path: readonly string[]): string[] {
  let inner: unknown = shape;
  for (const part of path) {
    if (!(inner instanceof z.ZodObject)) return [];
    inner = inner.shape[part];
    while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) inner = inner.unwrap();
  }
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}
