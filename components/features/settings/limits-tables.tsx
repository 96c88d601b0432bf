'use client';
import { useEffect, useState } from 'react';
import type { LimitList, ProjectSettings } from '@/core/api/settings';
import { formatCount, formatExact } from '../../format/format-tokens';
import { limitSign, limitSourceWords } from '../../format/session-words';
import { Ago } from '../../ui/ago';
import { Button } from '../../ui/button';
import { DataTable } from '../../ui/data-table';
import { Field } from '../../ui/form-parts';
import { windowName, windowRows, windowsInUse } from './project-fields';
import { ProjectList } from './projects-table';
import { type EditProps, SettingField, SettingsDialog, useSettingsForm } from './settings-dialog';

interface LimitsTablesProps {
  projects: readonly ProjectSettings[];
  limits: LimitList;
  /** The project of the URL, listed first. */
  first: string;
}

type WindowRow = LimitList['seen'][number];

const tokensWords = ({ tokens, source }: WindowRow) => `${limitSign(source)}${formatExact(tokens)}`;
const sourceWords = ({ source, date }: WindowRow) =>
  [limitSourceWords(source), date].filter(Boolean).join(', ');

export function LimitsTables({ projects, limits, first }: LimitsTablesProps) {
  const inUse = windowsInUse(limits.seen);
  return (
    <div className="flex flex-col gap-[24px]">
      <ProjectList
        projects={projects}
        first={first}
        what="windows"
        label="Windows of projects"
        hasOwn={({ windows }) => Object.keys(windows).length > 0}
        columns={[
          {
            head: 'windows, tokens',
            wide: true,
            cell: (settings) =>
              settings === null ? (
                <span className="text-ink2">stated, learned, or from the model table</span>
              ) : (
                <OwnWindows settings={settings} seen={limits.seen} />
              ),
          },
        ]}
        dialog={(props) => <WindowsDialog {...props} seen={limits.seen} />}
      />
      <div>{inUse.length === 0 ? null : <WindowsInUse rows={inUse} />}</div>
      {/* A browser opens the details that contain what its user searches. */}
      <details>
        <summary className="cursor-pointer">Model table, {formatCount(limits.table.length, 'row')}</summary>
        <div className="pt-[12px]">
          <DataTable
            label="Model table"
            rows={limits.table}
            first={limits.table.length}
            keyOf={({ models }) => models}
            columns={[
              {
                head: 'models in the table',
                cell: ({ models }) => <span className="font-mono">{models}</span>,
              },
              { head: 'limit, tokens', label: 'limit', num: true, cell: ({ tokens }) => formatExact(tokens) },
              { head: 'source', cell: ({ source }) => <span className="text-ink2">{source}</span> },
              { head: 'read on', num: true, cell: ({ date }) => date },
            ]}
          />
        </div>
      </details>
    </div>
  );
}

function WindowsInUse({ rows }: { rows: ReturnType<typeof windowsInUse> }) {
  return (
    <DataTable
      label="Windows in use"
      rows={rows}
      first={6}
      keyOf={({ model, tokens, source }) => `${model} ${tokens} ${source}`}
      columns={[
        { head: 'models in use', cell: ({ model }) => model },
        { head: 'limit, tokens', label: 'limit', num: true, cell: tokensWords },
        { head: 'source', cell: (row) => <span className="text-ink2">{sourceWords(row)}</span> },
        { head: 'sessions', num: true, cell: ({ sessions }) => formatExact(sessions) },
        {
          head: 'last turn',
          num: true,
          cell: ({ lastTurnAt }) => (lastTurnAt === null ? '' : <Ago at={lastTurnAt} />),
        },
      ]}
    />
  );
}

/** The windows that a project sets, with their use. */
function OwnWindows({ settings, seen }: { settings: ProjectSettings } & Pick<LimitList, 'seen'>) {
  const { project, windows } = settings;
  const own = Object.entries(windows);
  if (own.length === 0) return <span className="text-ink2">none set</span>;
  const usesOf = (model: string) =>
    seen.find((row) => row.project === project && row.model === model && row.source === 'setting')?.sessions;
  return (
    <ul className="w-full">
      {own.map(([model, size]) => (
        <li key={model}>
          {model} <span className="num strong">{formatExact(size)}</span>{' '}
          <span className="text-ink2">{formatCount(usesOf(model) ?? 0, 'session')}</span>
        </li>
      ))}
    </ul>
  );
}

/** The windows that a project sets by model. The placeholder of a field is the window in use. */
function WindowsDialog({ seen, ...props }: EditProps & { seen: LimitList['seen'] }) {
  const form = useSettingsForm('windows', props);
  const [added, setAdded] = useState<string[]>([]);
  const [name, setName] = useState('');
  const rows = windowRows(form.base, seen);
  const models = [...new Set([...rows.map(({ model }) => model), ...added])];
  const newest = added.at(-1);
  useEffect(() => {
    const fields = form.form.current?.querySelectorAll<HTMLInputElement>('input') ?? [];
    if (newest !== undefined) [...fields].find((field) => field.name === windowName(newest))?.focus();
  }, [newest, form.form]);
  const add = () => {
    if (name.trim() !== '') setAdded([...added, name.trim()]);
    setName('');
  };
  return (
    <SettingsDialog
      form={form}
      title={`Windows of ${props.settings.project}`}
      description="Tokens by model, unless a runner or client states a window. A change also applies to the earlier turns of open sessions. An empty field removes the window."
      className="top-[8vh] w-[560px]"
      waits={name.trim() !== ''}
      onClose={props.onClose}
    >
      <div className="grid gap-x-[24px] gap-y-[12px] min-[520px]:grid-cols-2">
        {models.map((model) => {
          const row = rows.find((each) => each.model === model && each.source !== 'setting');
          const placeholder = row === undefined ? 'tokens' : `${tokensWords(row)} ${sourceWords(row)}`;
          const setting = { form, name: windowName(model), label: model, placeholder };
          return <SettingField key={model} {...setting} />;
        })}
      </div>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-[8px]">
        <Field
          label="Another model"
          placeholder="as a runner reports it"
          maxLength={1_000}
          value={name}
          onValue={setName}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <Button onClick={add} disabled={name.trim() === ''}>
          Add
        </Button>
      </div>
    </SettingsDialog>
  );
}
