import type { Session } from '@/core/api/session';

export interface FilterChoices {
  project: string[];
  model: string[];
  runner: string[];
}

/** What can be chosen: every project, model and runner of the fleet, in alphabetical order. */
export function filterChoices(sessions: Iterable<Session>): FilterChoices {
  const project = new Set<string>();
  const model = new Set<string>();
  const runner = new Set<string>();
  for (const session of sessions) {
    project.add(session.project);
    runner.add(session.runner);
    if (session.model !== null) model.add(session.model);
  }
  return { project: [...project].sort(), model: [...model].sort(), runner: [...runner].sort() };
}
