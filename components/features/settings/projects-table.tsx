'use client';
import { type ReactNode, useState } from 'react';
import { THRESHOLD_NAMES } from '@/core/accounting/thresholds';
import type { ProjectSettings } from '@/core/api/settings';
import { formatPercent } from '../../format/format-percent';
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
  columns: readonly Column<ProjectSettings>[];
  dialog: (props: EditProps) => ReactNode;
}

export function ProjectList({ projects, first, what, label, columns, dialog }: ProjectListProps) {
  const [edited, setEdited] = useState<string | null>(null);
  const open = projects.find(({ project }) => project === edited);
  if (projects.length === 0) {
    return (
      <p className="text-ink2">
        No projects yet. A project appears with its first session.{' '}
        <a href="/connect" className="link text-ink">
          Connect a runner
        </a>
      </p>
    );
  }
  return (
    <>
      <DataTable
        label={label}
        rows={projects.toSorted((a, b) => Number(b.project === first) - Number(a.project === first))}
        keyOf={({ project }) => project}
        columns={[
          { head: 'project', cell: ({ project }) => <span className="font-medium">{project}</span> },
          ...columns,
          {
            head: <span className="sr-only">Change</span>,
            right: true,
            cell: ({ project }) => (
              <Button aria-label={`Change the ${what} of ${project}`} onClick={() => setEdited(project)}>
                Change
              </Button>
            ),
          },
        ]}
      />
      {open === undefined ? null : dialog({ settings: open, onClose: () => setEdited(null) })}
    </>
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
      columns={THRESHOLD_NAMES.map(
        (name): Column<ProjectSettings> => ({
          head: SETTING_LABEL[name],
          num: true,
          cell: ({ own, thresholds }) => (
            <Setting isOwn={own[name] !== null}>
              {thresholds[name] > 1 && name.endsWith('Line') ? 'never' : formatPercent(thresholds[name])}
            </Setting>
          ),
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
