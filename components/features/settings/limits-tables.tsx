'use client';
import { useEffect, useState } from 'react';
import type { LimitList, ProjectSettings } from '@/core/api/settings';
import { formatCount, formatExact } from '../../format/format-tokens';
import { limitSign, limitSourceWords } from '../../format/session-words';
import { Ago } from '../../ui/ago';
import { Button } from '../../ui/button';
import { DataTable } from '../../ui/data-table';
import { windowName, windowRows } from './project-fields';
import { ProjectList } from './projects-table';
import { type EditProps, Field, SettingField, SettingsDialog, useSettingsForm } from './settings-dialog';

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
  return (
    <div className="flex flex-col gap-[24px]">
      <ProjectList
        projects={projects}
        first={first}
        what="windows"
        label="Windows of projects"
        columns={[
          {
            head: 'windows in use, tokens',
            wide: true,
            cell: (settings) => <WindowList rows={windowRows(settings, limits.seen)} />,
          },
        ]}
        dialog={(props) => <WindowsDialog {...props} seen={limits.seen} />}
      />
      <DataTable
        label="Model table"
        rows={limits.table}
        keyOf={({ models }) => models}
        columns={[
          { head: 'models in the table', cell: ({ models }) => <span className="font-mono">{models}</span> },
          { head: 'limit, tokens', label: 'limit', num: true, cell: ({ tokens }) => formatExact(tokens) },
          { head: 'source', cell: ({ source }) => <span className="text-ink2">{source}</span> },
          { head: 'read on', num: true, cell: ({ date }) => date },
        ]}
      />
    </div>
  );
}

function WindowList({ rows }: { rows: readonly WindowRow[] }) {
  if (rows.length === 0) return <span className="text-ink2">none known</span>;
  return (
    <ul className="w-full py-[4px]">
      {rows.map((row) => (
        <li
          key={`${row.model} ${row.tokens} ${row.source}`}
          className="grid gap-x-[16px] py-[2px] lg:grid-cols-[minmax(0,1fr)_90px_minmax(0,1.4fr)]"
        >
          <span>{row.model}</span>
          <span className={`num lg:text-right ${row.source === 'setting' ? 'strong' : ''}`}>
            {tokensWords(row)}
          </span>
          <span className="text-ink2">
            {sourceWords(row)}, {row.sessions === 0 ? 'not in use' : formatCount(row.sessions, 'session')}
            {row.lastTurnAt === null ? null : (
              <>
                , <Ago at={row.lastTurnAt} />
              </>
            )}
          </span>
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
          problem=""
          className="field w-full"
          placeholder="as a runner reports it"
          maxLength={1_000}
          value={name}
          onChange={({ target }) => setName(target.value)}
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
