/** What an entry of the read API is, and how the entry of a path is found. */
import type postgres from 'postgres';
import type { z } from 'zod';
import type { Clock } from '../../db/queries/clock';
import type { TokenScope } from '../../db/queries/tokens/token-scope';
import type { ContentsWork } from '../../db/transcripts/contents/contents-work';
import type { HeldUpReads } from '../../db/transcripts/held-up-reads';
import type { BytesFile } from './answer-bytes';
import { type ParameterProblem, readParameters } from './read-parameters';

export type Answer =
  /** `isSecret`: nobody on the way may keep it. */
  | { type: 'found'; body: unknown; isSecret?: true }
  /** Made already, and kept nowhere on the way. */
  | { type: 'made'; contentType: string; parts: readonly (string | Uint8Array)[] }
  /** To be saved by the reader. */
  | { type: 'file'; file: AnsweredFile }
  /** As `file`, too long to be held at once: written as it is read. */
  | { type: 'stream'; file: StreamedFile }
  /** Somebody's bytes, whole or a range of them. */
  | { type: 'bytes'; file: BytesFile }
  /** The session lives on under another id. */
  | { type: 'moved'; id: string }
  | { type: 'not_found' }
  /** As `not_found`, where it is no session that is missing. */
  | { type: 'missing'; field: string; reason: string }
  | { type: 'invalid'; problem: ParameterProblem };

export interface AnsweredFile {
  name: string;
  contentType: string;
  text: string;
}

export interface StreamedFile extends Omit<AnsweredFile, 'text'> {
  chunks: AsyncIterable<string>;
}

export interface ReadRequest {
  sql: postgres.Sql;
  clock: Clock;
  /** The `{id}` or `{name}` of the path, decoded; empty where it has none. */
  id: string;
  search: URLSearchParams;
  /** Where long work on transcripts is done. */
  work: ContentsWork;
  /** Archives that the store could not take in. */
  heldUp: HeldUpReads;
  /** Who asks, for the audit log: a token's name, or `browser`. */
  actor: string;
}

export interface RouteEntry {
  /** Below `/api/v1`, with `{id}` for a session's id or `{name}` for a project's name. */
  path: string;
  /** Scopes of which a token must have one; default `read`. */
  scopes?: readonly TokenScope[];
  operation: string;
  summary: string;
  parameters: z.ZodObject;
  response: z.ZodType;
  /** The answer is bytes, and `response` what they belong to. */
  isBytes?: true;
  handle(request: ReadRequest): Promise<Answer>;
}

/** Joins the shape of the parameters and what they are used for, so that types follow. */
export function entry<T extends z.ZodRawShape>(
  definition: Omit<RouteEntry, 'parameters' | 'handle'> & {
    parameters: z.ZodObject<T>;
    answer(request: ReadRequest, parameters: z.infer<z.ZodObject<T>>): Promise<Answer>;
  },
): RouteEntry {
  const { answer, ...rest } = definition;
  return {
    ...rest,
    handle(request) {
      const read = readParameters(request.search, rest.parameters);
      if (!read.ok) return Promise.resolve({ type: 'invalid', problem: read.problem });
      return answer(request, read.value);
    },
  };
}

export const found = (body: unknown): Answer => ({ type: 'found', body });
export const foundSecret = (body: unknown): Answer => ({ type: 'found', body, isSecret: true });

export interface FoundEntry<T> {
  route: T;
  /** What stands in place of the first `{…}` of its path; empty where there is none. */
  id: string;
  /** The same for the second. */
  innerId: string;
}

/** The first entry whose pattern the path has, and what stands in place of its `{…}`; null: none. */
export function findEntry<T extends { path: string }>(
  entries: readonly T[],
  path: string,
): FoundEntry<T> | null {
  const parts = path.split('/');
  for (const route of entries) {
    const pattern = route.path.split('/');
    if (pattern.length !== parts.length) continue;
    const ids: string[] = [];
    const matches = pattern.every((part, index) => {
      if (!part.startsWith('{')) return part === parts[index];
      // The gate refused targets whose escapes are no text.
      return ids.push(decodeURIComponent(parts[index] ?? '')) > 0 && ids.at(-1) !== '';
    });
    if (matches) return { route, id: ids[0] ?? '', innerId: ids[1] ?? '' };
  }
  return null;
}
