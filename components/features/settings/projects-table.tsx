'use client';
import { type ReactNode, useState } from 'react';
import { DEFAULT_THRESHOLDS, THRESHOLD_NAMES } from '@/core/accounting/thresholds';
import type { ProjectSettings } from '@/core/api/settings';
import { formatPercent } from '../../format/format-percent';
import { formatCount } from '../../format/format-tokens';
import { useMay } from '../../preferences/viewer';
import { Button } from '../../ui/button';
import { type Column, DataTable } from '../../ui/data-table';
import { defaultText, SETTING_LABEL } from './project-fields';
import { type EditProps, SettingField, SettingsDialog, useSettingsForm } from './settings-dialog';

interface ProjectListProps {
  projects: readonly ProjectSettings[];
  /** The project of the URL, listed first. */
  first: string;
  /** Name of the settings: `lines`. */
  what: string;
  label: string;
  /** Each cell of a null row shows the default. */
  columns: readonly Column<ProjectSettings | null>[];
  hasOwn: (settings: ProjectSettings) => boolean;
  /** A fact beside the name of a project without own settings. */
  fact?: (settings: ProjectSettings) => string;
  dialog: (props: EditProps) => ReactNode;
}

/** The defaults, the projects that differ from them, and the names of all others. */
export function ProjectList(props: ProjectListProps) {
  const { projects, first, what, label, columns, hasOwn, fact, dialog } = props;
  const [edited, setEdited] = useState<string | null>(null);
  const may = useMay();
  const [saved, setSaved] = useState<string | null>(null);
  const open = projects.find(({ project }) => project === edited);
  const listed = projects
    .filter((settings) => settings.project === first || hasOwn(settings))
    .toSorted((a, b) => Number(b.project === first) - Number(a.project === first));
  const others = projects.filter((settings) => !listed.includes(settings));
  const edit = (project: string) => {
    setSaved(null);
    setEdited(project);
  };
  const mark = (project: string) =>
    saved === project ? <span className="pr-[8px] text-small strong">Saved</span> : null;
  return (
    <div>
      <DataTable
        label={label}
        rows={[null, ...listed]}
        keyOf={(row) => row?.project ?? ''}
        columns={[
          {
            head: 'project',
            cell: (row) =>
              row === null ? <span>Default</span> : <span className="font-medium">{row.project}</span>,
          },
          ...columns,
          {
            head: <span className="sr-only">Change</span>,
            right: true,
            cell: (row) =>
              row === null || !may('admin', row.project) ? null : (
                <>
                  {mark(row.project)}
                  <Button
                    aria-label={`Change the ${what} of ${row.project}`}
                    onClick={() => edit(row.project)}
                  >
                    Change
                  </Button>
                </>
              ),
          },
        ]}
      />
      {projects.length === 0 ? (
        <p className="pt-[10px] text-ink2">
          No projects yet. A project appears with its first session.{' '}
          <a href="/connect" className="link text-ink">
            Connect a runner
          </a>
        </p>
      ) : null}
      {others.length === 0 ? null : (
        <div className="pt-[10px]">
          <p className="text-small text-ink2">{formatCount(others.length, 'project')} with the defaults</p>
          <ul
            aria-label={`${label} with the defaults`}
            className="flex max-h-[96px] flex-wrap gap-x-[18px] overflow-y-auto [scrollbar-width:thin]"
          >
            {others.map((settings) => (
              <li key={settings.project} className="flex min-w-0 items-baseline">
                {may('admin', settings.project) ? (
                  <button
                    type="button"
                    className="link min-h-[24px] max-w-full truncate"
                    aria-label={`Change the ${what} of ${settings.project}`}
                    onClick={() => edit(settings.project)}
                  >
                    {settings.project}
                  </button>
                ) : (
                  <span className="max-w-full truncate leading-[24px]">{settings.project}</span>
                )}
                <span className="pl-[6px] text-small whitespace-nowrap text-ink2">{fact?.(settings)}</span>
                <span className="pl-[6px]">{mark(settings.project)}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      <p role="status" className="sr-only">
        {saved === null ? '' : `Saved the ${what} of ${saved}`}
      </p>
      {open === undefined
        ? null
        : dialog({ settings: open, onSaved: () => setSaved(edited), onClose: () => setEdited(null) })}
    </div>
  );
}

/** The value of a setting: the project's own in strong ink, the default in second ink. */
export function Setting({ isOwn, children }: { isOwn: boolean; children: ReactNode }) {
  return (
    <span className={isOwn ? 'strong' : 'text-ink2'} title={isOwn ? 'Set by this project' : 'The default'}>
      {children}
    </span>
  );
}

export function ProjectsTable(props: Pick<ProjectListProps, 'projects' | 'first'>) {
  return (
    <ProjectList
      {...props}
      what="lines"
      label="Lines of projects"
      hasOwn={({ own }) => THRESHOLD_NAMES.some((name) => own[name] !== null)}
      columns={THRESHOLD_NAMES.map(
        (name): Column<ProjectSettings | null> => ({
          head: SETTING_LABEL[name],
          num: true,
          cell: (row) => {
            const line = (row?.thresholds ?? DEFAULT_THRESHOLDS)[name];
            return (
              <Setting isOwn={row !== null && row.own[name] !== null}>
                {line > 1 && name.endsWith('Line') ? 'never' : formatPercent(line)}
              </Setting>
            );
          },
        }),
      )}
      dialog={(props) => <LinesDialog {...props} />}
    />
  );
}

function LinesDialog(props: EditProps) {
  const form = useSettingsForm('thresholds', props);
  return (
    <SettingsDialog
      form={form}
      title={`Lines of ${props.settings.project}`}
      description="Percent of the limit, applied from the next turn on. An empty field uses the default; a restart line above 100 means never."
      className="top-[10vh] w-[520px]"
      onClose={props.onClose}
    >
      <div className="grid grid-cols-2 gap-x-[24px] gap-y-[12px]">
        {THRESHOLD_NAMES.map((name) => (
          <SettingField
            key={name}
            form={form}
            name={name}
            label={`${SETTING_LABEL[name]}, %`}
            placeholder={`${defaultText(name)} by default`}
          />
        ))}
      </div>
    </SettingsDialog>
  );
}
