'use client';
import { THRESHOLD_NAMES, type ThresholdName } from '@/core/accounting/threshold-problem';
import type { ProjectSettings } from '@/core/api/settings';
import { formatPercent } from '../format/format-percent';
import { ChangeCell } from './change-cell';
import { LINE_NAME } from './line-fields';
import { LinesAxis } from './lines-axis';
import { LinesDialog } from './lines-dialog';
import { useEditedProject } from './use-edited-project';
import { useFoundProjects } from './use-found-projects';
import './settings.css';

/** The lines of each project; those it sets itself in strong ink, the defaults in the second. */
export function ProjectsTable({ initial, find }: { initial: readonly ProjectSettings[]; find: string }) {
  const { projects, open, edit, close, take } = useEditedProject(initial);
  const found = useFoundProjects(projects, find, 'among the lines');
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
  return (
    <>
      {found.find}
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
          {found.shown.map((settings) => (
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
              <ChangeCell
                label={`Change the lines of ${settings.project}`}
                onPress={() => edit(settings.project)}
              />
            </tr>
          ))}
        </tbody>
      </table>
      {found.rest}
      {open === undefined ? null : <LinesDialog settings={open} onChanged={take} onClose={close} />}
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
