'use client';
import { useState } from 'react';
import { THRESHOLD_NAMES, type ThresholdName } from '@/core/accounting/threshold-problem';
import type { ProjectSettings } from '@/core/api/settings';
import { formatPercent } from '../format/format-percent';
import { LINE_NAME } from './line-fields';
import { LinesAxis } from './lines-axis';
import { LinesDialog } from './lines-dialog';
import './settings.css';

/** Projects that are shown at first; a server with more of them has a field to find one. */
const FIRST_SHOWN = 20;

/** The lines of each project; those it sets itself in strong ink, the defaults in the second. */
export function ProjectsTable({ initial }: { initial: readonly ProjectSettings[] }) {
  const [changed, setChanged] = useState<ReadonlyMap<string, ProjectSettings>>(new Map());
  const [edited, setEdited] = useState<string | null>(null);
  const [text, setText] = useState('');
  const [all, setAll] = useState(false);
  const projects = initial.map((settings) => changed.get(settings.project) ?? settings);
  if (projects.length === 0) {
    return (
      <p className="text-ink2">
        No project so far: a project comes with its first session.{' '}
        <a href="/connect" className="link text-ink">
          Connect a runner
        </a>
      </p>
    );
  }
  const matching = projects.filter(({ project }) =>
    project.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const shown = all ? matching : matching.slice(0, FIRST_SHOWN);
  const open = projects.find(({ project }) => project === edited);
  return (
    <>
      {projects.length > FIRST_SHOWN ? (
        <input
          type="search"
          className="field mb-[12px] w-[236px]"
          aria-label="Find a project"
          placeholder="Find a project"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      ) : null}
      <table className="settings-table" aria-label="Lines of projects">
        <thead>
          <tr>
            <th scope="col">project</th>
            <th scope="col">0 to 110 % of the limit</th>
            {THRESHOLD_NAMES.map((name) => (
              <th key={name} scope="col" className="right">
                {LINE_NAME[name]}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((settings) => (
            <tr key={settings.project}>
              <td className="font-medium">{settings.project}</td>
              <td>
                <LinesAxis thresholds={settings.thresholds} />
              </td>
              {THRESHOLD_NAMES.map((name) => (
                <td key={name} className="right" data-label={LINE_NAME[name]}>
                  <Line settings={settings} name={name} />
                </td>
              ))}
              <td className="right">
                <button
                  type="button"
                  className="button"
                  aria-label={`Change the lines of ${settings.project}`}
                  onClick={() => setEdited(settings.project)}
                >
                  Change
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 ? (
        <p className="pt-[12px] text-ink2">No project has these letters in its name.</p>
      ) : null}
      {matching.length > shown.length ? (
        <button type="button" className="button mt-[12px]" onClick={() => setAll(true)}>
          Show all {matching.length}
        </button>
      ) : null}
      {open === undefined ? null : (
        <LinesDialog
          settings={open}
          onChanged={(settings) => setChanged((held) => new Map(held).set(settings.project, settings))}
          onClose={() => setEdited(null)}
        />
      )}
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
      title={isOwn ? `${LINE_NAME[name]}, set by this project` : `${LINE_NAME[name]}, the default`}
    >
      {isNever ? 'never' : formatPercent(line)}
    </span>
  );
}
