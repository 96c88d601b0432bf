'use client';
import type { KeptTranscripts } from '@/core/api/retention';
import type { ProjectSettings } from '@/core/api/settings';
import type { TranscriptSettingName } from '@/core/transcript/keep-settings';
import { formatBytes } from '../format/format-bytes';
import { formatInstant } from '../format/format-time';
import { formatExact } from '../format/format-tokens';
import { useTimeZone } from '../live/use-time-zone';
import { ChangeCell } from './change-cell';
import { KeptDialog } from './kept-dialog';
import { retentionWords, sizeText } from './kept-fields';
import { useEditedProject } from './use-edited-project';
import { useFoundProjects } from './use-found-projects';
import './settings.css';

interface KeptTableProps {
  initial: readonly ProjectSettings[];
  kept: readonly KeptTranscripts[];
  /** What to look for at first. */
  find: string;
}

/** What each project keeps of transcripts, how much it takes in, and for how long. */
export function KeptTable({ initial, kept, find }: KeptTableProps) {
  const { projects, open, edit, close, take } = useEditedProject(initial);
  const zone = useTimeZone();
  const found = useFoundProjects(projects, find, 'among what is kept');
  if (projects.length === 0) {
    return <p className="text-ink2">No project so far: a project comes with its first session.</p>;
  }
  return (
    <>
      {found.find}
      <table className="settings-table" aria-label="Transcripts of projects">
        <thead>
          <tr>
            <th scope="col">project</th>
            <th scope="col" className="right">
              kept now
            </th>
            <th scope="col" className="right">
              on disk
            </th>
            <th scope="col" className="right">
              one at most
            </th>
            <th scope="col" className="right">
              all at most
            </th>
            <th scope="col" className="right">
              number at most
            </th>
            <th scope="col">keeps</th>
            <th scope="col">
              <span className="sr-only">Change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {found.shown.map((settings) => {
            const now = kept.find(({ project }) => project === settings.project);
            const { limits, own } = settings.transcripts;
            const words = retentionWords(own);
            return (
              <tr key={settings.project}>
                <td className="font-medium">{settings.project}</td>
                <td
                  className="right num"
                  data-label="kept now"
                  title={now?.oldestAt ? `The oldest is of ${formatInstant(now.oldestAt, zone)}` : undefined}
                >
                  {formatExact(now?.transcripts ?? 0)}
                </td>
                <td
                  className="right num"
                  data-label="on disk"
                  title={now === undefined ? undefined : `${formatExact(now.storedBytes)} bytes, compressed`}
                >
                  {formatBytes(now?.storedBytes ?? 0)}
                </td>
                <td className="right" data-label="one at most">
                  <Limit own={own} name="maxArchiveBytes" text={sizeText(limits.maxArchiveBytes)} />
                </td>
                <td className="right" data-label="all at most">
                  <Limit own={own} name="maxStoredBytes" text={sizeText(limits.maxStoredBytes)} />
                </td>
                <td className="right" data-label="number at most">
                  <Limit own={own} name="maxArchives" text={formatExact(limits.maxArchives)} />
                </td>
                <td className={words === '' ? 'text-ink2' : 'strong'} data-label="keeps">
                  {words === '' ? 'for good' : words}
                </td>
                <ChangeCell
                  label={`Change what ${settings.project} keeps of transcripts`}
                  onPress={() => edit(settings.project)}
                />
              </tr>
            );
          })}
        </tbody>
      </table>
      {found.rest}
      {open === undefined ? null : <KeptDialog settings={open} onChanged={take} onClose={close} />}
    </>
  );
}

interface LimitProps {
  own: ProjectSettings['transcripts']['own'];
  name: TranscriptSettingName;
  text: string;
}

function Limit({ own, name, text }: LimitProps) {
  const isOwn = own[name] !== null;
  return (
    <span
      className={`num ${isOwn ? 'strong' : 'text-ink2'}`}
      title={isOwn ? 'Set by this project' : 'The default'}
    >
      {text}
    </span>
  );
}
