import { splitPrompt } from '../../core/agents/split-prompt';
import { cleanName } from '../../core/protocol/clean-name';
import type { ItemOf, TurnItem } from '../../core/protocol/items';
import { type Attributes, countOf } from './attributes';

type Facts<T> = Omit<T, 'seq' | 'session' | 'at'>;

/** What one log record or span reports about a session, without its place in a stream. */
export interface Report {
  /** The agent program. Null: an agent that follows the GenAI conventions, with a session key of its project. */
  client: string | null;
  session: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Name of the agent, if the session may have several agents and none is known to be the main one. */
  agent?: string | undefined;
  /** Name of the outermost agent above the call, if the span of an agent and not the call names the agent. */
  outermostAgent?: string | undefined;
  facts: Facts<TurnItem> | Facts<ItemOf<'compaction'>>;
}

/** Names of the attributes that hold the counts of a call. */
interface CountNames {
  input: string[];
  output: string[];
  cacheRead: string[];
  cacheCreation: string[];
  /** Names of counts that are added to the input. */
  tools?: string[];
  /** Names of counts that are added to the output. */
  reasoning?: string[];
  /** Names of the total of all counts. */
  total?: string[];
  /** Whether the input includes the cached tokens. `mostly`: unless the counts show that it excludes them. */
  isInclusive: boolean | 'mostly';
}

interface Call {
  /** Absent: the client reports no id, so the call is matched with those of other sources by its counts. */
  call?: string[] | undefined;
  model: string | undefined;
  chain?: string | undefined;
  isSide?: boolean | undefined;
}

/**
 * A turn with the counts of one call, or null if the record has no counts.
 * @throws UnusableField
 */
export function turnFrom(attributes: Attributes, names: CountNames, call: Call): Facts<TurnItem> | null {
  const tools = countOf(attributes, ...(names.tools ?? []));
  const prompt = countOf(attributes, ...names.input);
  const given = prompt === undefined ? undefined : prompt + (tools ?? 0);
  const visible = countOf(attributes, ...names.output);
  if (given === undefined && visible === undefined) return null;
  const read = countOf(attributes, ...names.cacheRead);
  const written = countOf(attributes, ...names.cacheCreation);
  const cached = (read ?? 0) + (written ?? 0);
  const total = countOf(attributes, ...(names.total ?? []));
  // The input excludes the cached tokens if it is smaller than they are, or if the total adds them to input and output.
  const isLacking = (given ?? 0) < cached || total === (given ?? 0) + cached + (visible ?? 0);
  const isIncluded = names.isInclusive === 'mostly' ? !isLacking : names.isInclusive;
  const parts =
    isIncluded && given !== undefined
      ? splitPrompt(given, read ?? 0, written ?? 0)
      : { input: given, cacheRead: read ?? 0, cacheCreation: written ?? 0 };
  const reasoning = countOf(attributes, ...(names.reasoning ?? []));
  const output = reasoning === undefined ? visible : (visible ?? 0) + reasoning;
  const size = (parts.input ?? 0) + parts.cacheRead + parts.cacheCreation + (output ?? 0);
  const { isSide = false, ...rest } = call;
  return {
    type: 'turn',
    ...rest,
    model: cleanName(call.model ?? '') ?? undefined,
    usage: {
      input: parts.input,
      output,
      cacheRead: read && parts.cacheRead,
      cacheCreation: written && parts.cacheCreation,
    },
    ...(isSide && { scope: 'side' }),
    // The size of the context is unknown without the input.
    ...(!isSide && given !== undefined && { contextTokens: size, basis: 'total' }),
  };
}
