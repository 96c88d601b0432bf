'use client';
import { AUDIT_ACTIONS } from '@/core/transcript/audit-actions';
import { GoToTime } from '../ui/go-to-time';
import { SelectFilter } from '../ui/select-filter';
import type { AuditQuery } from './audit-query';
import { ACTION_WORDS } from './audit-words';

interface AuditFilterProps {
  query: AuditQuery;
  change: (part: Partial<AuditQuery>) => void;
  projects: readonly string[];
  /** Who may be in the log. */
  actors: readonly string[];
}

/** What was done, who did it, in which project, and up to when. */
export function AuditFilter({ query, change, projects, actors }: AuditFilterProps) {
  return (
    <div className="flex min-h-[40px] flex-wrap items-center gap-x-[18px] border-t border-ink">
      <fieldset className="flex flex-wrap items-center gap-x-[15px]">
        <legend className="sr-only">Only these actions</legend>
        {AUDIT_ACTIONS.map((action) => {
          const isOn = query.action.includes(action);
          return (
            <button
              key={action}
              type="button"
              aria-pressed={isOn}
              onClick={() =>
                change({
                  action: isOn
                    ? query.action.filter((other) => other !== action)
                    : AUDIT_ACTIONS.filter((known) => known === action || query.action.includes(known)),
                })
              }
              className={`h-[28px] border-y-[1.5px] border-t-transparent ${isOn ? 'border-b-ink' : 'border-b-transparent text-ink2 hover:border-b-hair2 hover:text-ink'}`}
            >
              {ACTION_WORDS[action]}
            </button>
          );
        })}
      </fieldset>
      <SelectFilter
        label="Filter by who"
        value={query.actor}
        none="who"
        names={actors}
        onChange={(actor) => change({ actor })}
      />
      {projects.length < 2 && query.project === '' ? null : (
        <SelectFilter
          label="Filter by project"
          value={query.project}
          none="project"
          names={projects}
          onChange={(project) => change({ project })}
        />
      )}
      <GoToTime
        before={Date.now}
        onGo={({ at, spanMs }) => change({ from: null, to: new Date(at + spanMs - 1) })}
      />
    </div>
  );
}
