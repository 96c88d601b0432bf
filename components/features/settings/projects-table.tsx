'use client';
import { THRESHOLD_NAMES, type ThresholdName } from '@/core/accounting/threshold-problem';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { Thresholds } from '@/core/accounting/types';
import type { ProjectSettings } from '@/core/api/settings';
import { formatPercent } from '../../format/format-percent';
import { DataTable } from '../../ui/data-table';
import { findLineProblems, LINE_NAME, NO_LINE_FIELDS, percentText, readChange, toFields } from './lines';
import { SettingField, SettingsDialog } from './settings-form';
import { ChangeButton, useProjectList } from './use-project-list';
import { type SettingsPart, useSettingsForm } from './use-settings-form';

/** The lines of each project: its own in strong ink, the defaults in second ink. */
export function ProjectsTable({ initial, find }: { initial: readonly ProjectSettings[]; find: string }) {
  const { shown, open, edit, close, update, search, rest } = useProjectList(initial, find, 'among the lines');
  if (initial.length === 0) {
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
      {search}
      <DataTable
        label="Lines of projects"
        rows={shown}
        keyOf={({ project }) => project}
        columns={[
          { head: 'project', cell: ({ project }) => <span className="font-medium">{project}</span> },
          {
            head: '0–110 % of the limit',
            cell: ({ thresholds }) => <LinesAxis thresholds={thresholds} />,
          },
          ...THRESHOLD_NAMES.map((name) => ({
            head: LINE_NAME[name],
            label: LINE_NAME[name],
            right: true,
            cell: (settings: ProjectSettings) => <Line settings={settings} name={name} />,
          })),
          {
            head: <span className="sr-only">Change</span>,
            right: true,
            cell: ({ project }) => (
              <ChangeButton label={`Change the lines of ${project}`} onPress={() => edit(project)} />
            ),
          },
        ]}
      />
      {rest}
      {open === undefined ? null : <LinesDialog settings={open} onChanged={update} onClose={close} />}
    </>
  );
}

function Line({ settings, name }: { settings: ProjectSettings; name: ThresholdName }) {
  const line = settings.thresholds[name];
  const isOwn = settings.own[name] !== null;
  const isNever = line > 1 && (name === 'restartLine' || name === 'compressLine');
  return (
    <span
      className={`num ${isOwn ? 'strong' : 'text-ink2'}`}
      title={`${LINE_NAME[name]}, ${isOwn ? 'set by this project' : 'the default'}`}
    >
      {isNever ? 'never' : formatPercent(line)}
    </span>
  );
}

const STATES = ['nominal', 'elevated', 'warning', 'critical', 'redlined'] as const;
/** The pressure axis of every page. */
const AXIS_END = 1.1;

/** The states on the pressure axis, with ticks for the compress line (thin) and the restart line (strong). */
function LinesAxis({ thresholds }: { thresholds: Thresholds }) {
  const { elevated, warning, critical, redlined, compressLine, restartLine } = thresholds;
  const bounds = [0, elevated, warning, critical, redlined, AXIS_END];
  const place = (line: number) => (Math.min(line, AXIS_END) / AXIS_END) * 220;
  return (
    <svg width="220" height="18" viewBox="0 0 220 18" aria-hidden="true" className="block max-w-full">
      {STATES.map((state, index) => {
        const from = place(bounds[index] ?? 0);
        const to = place(bounds[index + 1] ?? AXIS_END);
        return to - from < 1 ? null : (
          <rect
            key={state}
            data-state={state}
            x={from}
            y="2"
            width={to - from - 1}
            height="6"
            fill="var(--state)"
            opacity={state === 'nominal' ? 0.28 : 0.6}
          />
        );
      })}
      <path d="M0 12.5H220" stroke="var(--hair2)" />
      {compressLine > 1 ? null : <path d={`M${place(compressLine)} 10v6`} stroke="var(--ink2)" />}
      {restartLine > 1 ? null : (
        <path d={`M${place(restartLine)} 9v9`} stroke="var(--ink)" strokeWidth="1.5" />
      )}
    </svg>
  );
}

const LINES: SettingsPart<ThresholdName> = {
  key: 'thresholds',
  names: THRESHOLD_NAMES,
  title: 'lines',
  fieldsOf: ({ own }) => toFields(own),
  problemsOf: (fields, { own }) => findLineProblems(fields, own),
  changeOf: (fields, { own }) => readChange(fields, own),
  wordsOf: (name, { thresholds }) => `${LINE_NAME[name]} ${percentText(thresholds[name])} %`,
};

interface LinesDialogProps {
  settings: ProjectSettings;
  onChanged: (settings: ProjectSettings) => void;
  onClose: () => void;
}

function LinesDialog({ settings, onChanged, onClose }: LinesDialogProps) {
  const form = useSettingsForm({ settings, part: LINES, onChanged, onClose });
  return (
    <SettingsDialog
      form={form}
      title={`Lines of ${settings.project}`}
      description="Percent of the limit, applied from the next turn on. An empty field uses the default; a restart line above 100 means never."
      className="top-[10vh] w-[520px]"
      defaults={NO_LINE_FIELDS}
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-x-[24px] gap-y-[12px]">
        {THRESHOLD_NAMES.map((name) => (
          <SettingField
            key={name}
            form={form}
            name={name}
            label={`${LINE_NAME[name]}, %`}
            subject={LINE_NAME[name]}
            placeholder={`${formatPercent(DEFAULT_THRESHOLDS[name])} by default`}
            inputMode="decimal"
          />
        ))}
      </div>
    </SettingsDialog>
  );
}
