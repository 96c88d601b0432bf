import type { Note } from '@/core/api/notes';
import type { SessionUrl } from '../session-url';
import type { SessionData } from '../use-session-data';
import type { SheetSvgInput } from './sheet-svg';

/** What a sheet is prepared from, on the page and off it. */
export function sheetInput(
  data: SessionData,
  url: SessionUrl,
  now: number,
  zone: string,
  notes: readonly Note[],
): SheetSvgInput {
  const { points, overlay, contexts, events } = data;
  const subAgents = data.subAgents?.agents ?? [];
  return { session: data.view.session, points, overlay, subAgents, contexts, events, url, now, zone, notes };
}
