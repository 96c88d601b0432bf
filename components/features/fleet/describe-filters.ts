import { AXIS_END, type FleetQuery } from '../../sessions/fleet-query';
import { STATE_WORD } from '../../ui/state-label';

/** What is filtered by, in words: `live`, `project checkout`, `from 75 %`; empty without a filter. */
export function describeFilters(query: FleetQuery): string[] {
  const { text, states, liveness, trouble, archiveFailed, project, model, runner, range } = query;
  const parts: string[] = [];
  if (liveness.length > 0) parts.push(liveness.join(' or '));
  if (states.length > 0) parts.push(states.map((state) => STATE_WORD[state]).join(' or '));
  if (trouble) parts.push('in trouble');
  if (archiveFailed) parts.push('archive failed');
  if (project !== null) parts.push(`project ${project}`);
  if (model !== null) parts.push(`model ${model}`);
  if (runner !== null) parts.push(`runner ${runner}`);
  if (range !== null) {
    parts.push(range.to === AXIS_END ? `from ${range.from} %` : `pressure ${range.from} to ${range.to} %`);
  }
  if (text !== '') parts.push(`“${text}”`);
  return parts;
}
