'use client';
import { AUDIT_ACTIONS } from '@/core/transcript/audit-actions';
import { FilterSwitch, NameMenu, ProjectMenu } from '../../../ui/filter-bar';
import { GoToTime } from '../../../ui/go-to-time';
import type { AuditQuery } from './audit-query';
import { ACTION_WORDS } from './audit-words';

interface AuditFilterProps {
  query: AuditQuery;
  change: (part: Partial<AuditQuery>) => void;
  projects: readonly string[];
  actors: readonly string[];
}

/** Filters of the audit log: actions, actor, project and time. */
export function AuditFilter({ query, change, projects, actors }: AuditFilterProps) {
  return (
    <div className="flex min-h-[40px] flex-wrap items-center gap-x-[18px] border-t border-ink">
      <fieldset className="flex flex-wrap items-center gap-x-[15px]">
        <legend className="sr-only">Only these actions</legend>
        {AUDIT_ACTIONS.map((action) => {
          const isOn = query.action.includes(action);
          return (
            <FilterSwitch
              key={action}
              isOn={isOn}
              toggle={() =>
                change({
                  action: isOn
                    ? query.action.filter((other) => other !== action)
                    : AUDIT_ACTIONS.filter((known) => known === action || query.action.includes(known)),
                })
              }
            >
              {ACTION_WORDS[action]}
            </FilterSwitch>
          );
        })}
      </fieldset>
      <NameMenu
        label="Filter by actor"
        value={query.actor}
        none="actor"
        names={actors}
        onChange={(actor) => change({ actor })}
      />
      <ProjectMenu value={query.project} projects={projects} onChange={(project) => change({ project })} />
      <GoToTime
        before={Date.now}
        onGo={({ at, spanMs }) => change({ from: null, to: new Date(at + spanMs - 1) })}
      />
    </div>
  );
}
