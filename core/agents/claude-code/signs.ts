import { cutPoints } from '../../protocol/code-points';
import { MAX_SUMMARY } from '../../transcript/limits';
import type { AgentFormat } from '../agent-format';
import { asFields, asList, cleanText, type Fields, SYNTHETIC } from '../fields';
import { readBoundary } from './boundary';

const REFUSED = /blocked by (?:an? |the )?PreCompact hook/i;
const MAX_REFUSAL = 300;

export const signs: AgentFormat['signs'] = {
  boundary: {
    mark: 'compact_boundary',
    // A fork copies the boundaries of its parent session.
    read: (line) => (asFields(line.forkedFrom) === null ? readBoundary(line) : null),
  },
  summary: { mark: 'isCompactSummary', read: readSummary },
  refusal: { mark: 'PreCompact hook', read: readRefusal },
};

function readSummary(line: Fields): string | null {
  if (line.isCompactSummary !== true) return null;
  const text = textOf(asFields(line.message)?.content);
  return cleanText(text.replaceAll(/\p{Cs}/gu, '\ufffd'), MAX_SUMMARY);
}

/** Reads only text of the client, because a person or a model may quote the same words. */
function readRefusal(line: Fields): string | null {
  if (line.isSidechain === true) return null;
  const text = cutPoints(clientText(line) ?? '', MAX_REFUSAL);
  return REFUSED.test(text) ? text.replaceAll(/<\/?local-command-[a-z]+>/g, '').trim() : null;
}

function clientText(line: Fields): string | null {
  if (line.type === 'system') return cleanText(line.content, MAX_REFUSAL);
  const message = asFields(line.message);
  if (message === null) return null;
  const text = textOf(message.content);
  if (line.type === 'assistant') return message.model === SYNTHETIC ? text : null;
  return line.type === 'user' && text.startsWith('<local-command-') ? text : null;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = asList(content).map((block) => asFields(block)?.text);
  return texts.map((text) => (typeof text === 'string' ? text : '')).join('\n');
}
