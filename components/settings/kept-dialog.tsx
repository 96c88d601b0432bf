'use client';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { RetentionPreview } from '@/core/api/retention';
import type { ProjectSettings } from '@/core/api/settings';
import {
  DEFAULT_TRANSCRIPT_LIMITS,
  TRANSCRIPT_LIMIT_NAMES,
  TRANSCRIPT_RETENTION_NAMES,
  TRANSCRIPT_SETTING_NAMES,
  type TranscriptSettingName,
} from '@/core/transcript/keep-settings';
import { formatLongDay } from '../format/format-time';
import { formatCount } from '../format/format-tokens';
import { useTimeZone } from '../live/use-time-zone';
import { Dialog } from '../ui/dialog';
import {
  dueWords,
  findKeptProblems,
  KEPT_NAME,
  type KeptProblems,
  NO_KEPT_FIELDS,
  readKeptChange,
  retentionQuestion,
  settingText,
  toKeptFields,
} from './kept-fields';
import { readAgain, sendChange } from './send-change';

interface KeptDialogProps {
  settings: ProjectSettings;
  onChanged: (settings: ProjectSettings) => void;
  onClose: () => void;
}

/** What a retention would delete, and the question that it answers. */
interface Foretold {
  question: string;
  preview: RetentionPreview;
}

/** Typing asks once it rests. */
const TYPING_MS = 250;

/**
 * Limits and retention of one project's transcripts. What a retention deletes is said before it is saved. Two operators
 * at once: the second is shown what the first one set, keeps what was typed, and decides.
 */
export function KeptDialog({ settings, onChanged, onClose }: KeptDialogProps) {
  const [base, setBase] = useState(settings);
  const [fields, setFields] = useState(() => toKeptFields(settings.transcripts.own));
  const [problems, setProblems] = useState<KeptProblems>({});
  const [notice, setNotice] = useState('');
  const [foretold, setForetold] = useState<Foretold | null>(null);
  const [isSending, setIsSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const zone = useTimeZone();
  const own = base.transcripts.own;
  const path = `/projects/${encodeURIComponent(settings.project)}`;
  const question = Object.keys(findKeptProblems(fields)).length > 0 ? null : retentionQuestion(fields, own);
  const due = foretold !== null && foretold.question === question ? foretold.preview : null;

  useEffect(() => {
    if (question === null) return;
    let isLeft = false;
    const timer = setTimeout(async () => {
      const preview = await readAgain<RetentionPreview>(`${path}/retention?${question}`);
      if (!isLeft && preview.ok) setForetold({ question, preview: preview.value });
    }, TYPING_MS);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [question, path]);

  function showProblems(next: KeptProblems): void {
    setProblems(next);
    const first = TRANSCRIPT_SETTING_NAMES.find((name) => next[name] !== undefined);
    if (first !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
  }

  /** Whether it was said what this retention deletes; asks where it was not. */
  async function isForetold(): Promise<boolean> {
    if (question === null || due !== null) return true;
    const preview = await readAgain<RetentionPreview>(`${path}/retention?${question}`);
    if (!preview.ok) {
      setNotice(`What would be deleted could not be read, so nothing was saved. ${preview.reason}`);
      return false;
    }
    setForetold({ question, preview: preview.value });
    return preview.value.due.transcripts === 0;
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    const found = findKeptProblems(fields);
    showProblems(found);
    if (Object.keys(found).length > 0) return;
    const transcripts = readKeptChange(fields, own);
    if (Object.keys(transcripts).length === 0) return onClose();
    setIsSending(true);
    setNotice('');
    if (!(await isForetold())) return setIsSending(false);
    const change = { version: base.version, transcripts };
    const sent = await sendChange<ProjectSettings>('PATCH', `${path}/settings`, change);
    setIsSending(false);
    if (sent.ok) {
      onChanged(sent.value);
      onClose();
      return;
    }
    const name = TRANSCRIPT_SETTING_NAMES.find((known) => sent.field === `transcripts.${known}`);
    if (name !== undefined) showProblems({ [name]: sent.reason });
    else if (sent.code === 'changed_meanwhile') await takeTheirs();
    else setNotice(sent.reason);
  }

  /** What was typed stays; beneath it lies what is stored now. */
  async function takeTheirs(): Promise<void> {
    const now = await readAgain<ProjectSettings>(`${path}/settings`);
    if (!now.ok) return setNotice(now.reason);
    const typed = readKeptChange(fields, own);
    const before = toKeptFields(own);
    const theirs = toKeptFields(now.value.transcripts.own);
    const words = TRANSCRIPT_SETTING_NAMES.filter((name) => theirs[name] !== before[name]).map(
      (name) => `${KEPT_NAME[name]} ${theirs[name] === '' ? 'back to the default' : theirs[name]}`,
    );
    const merged = { ...theirs };
    for (const name of TRANSCRIPT_SETTING_NAMES) if (name in typed) merged[name] = fields[name];
    setBase(now.value);
    onChanged(now.value);
    setFields(merged);
    const what = words.length === 0 ? 'lines of this project' : words.join(', ');
    setNotice(
      `Somebody changed these settings meanwhile: ${what}. What you typed is kept; save again to set it on top.`,
    );
  }

  const change = (name: TranscriptSettingName, value: string) => {
    setFields({ ...fields, [name]: value });
    setProblems({ ...problems, [name]: undefined });
  };
  const field = (name: TranscriptSettingName) => (
    <KeptField
      key={name}
      id={`${id}-${name}`}
      name={name}
      value={fields[name]}
      problem={problems[name]}
      onChange={(value) => change(name, value)}
    />
  );
  const isDeleting = due !== null && due.due.transcripts > 0;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Transcripts of ${settings.project}`}
      description="How much the project takes in, and how long it keeps it. An empty field is the default; of retention that is off: everything is kept."
      className="top-[8vh] w-[560px]"
    >
      <form ref={form} className="settings-form" noValidate onSubmit={(event) => void save(event)}>
        <p role="alert" className={notice === '' ? 'sr-only' : 'notice'}>
          {notice}
        </p>
        <fieldset>
          <legend className="strong pb-[2px]">Takes in at most</legend>
          <p className="pb-[8px] text-small text-ink2">
            What is beyond it is refused, with a row that says why. Nothing is deleted for it.
          </p>
          <div className="lines three">{TRANSCRIPT_LIMIT_NAMES.map(field)}</div>
        </fieldset>
        <fieldset>
          <legend className="strong pb-[2px]">Keeps</legend>
          <p className="pb-[8px] text-small text-ink2">
            What is older, beyond that number, or the oldest of what has no room, is deleted. A row stays.
          </p>
          <div className="lines three">{TRANSCRIPT_RETENTION_NAMES.map(field)}</div>
        </fieldset>
        <p role="status" className={isDeleting ? 'notice' : 'min-h-[20px] text-ink2'}>
          {due === null ? '' : dueWords(due, (at) => formatLongDay(at, zone))}
        </p>
        <div className="actions">
          <button type="submit" className="button primary" disabled={isSending}>
            {isSending
              ? 'Saving'
              : isDeleting
                ? `Save and delete ${formatCount(due.due.transcripts, 'transcript')}`
                : 'Save'}
          </button>
          <button type="button" className="button" onClick={() => setFields(NO_KEPT_FIELDS)}>
            All defaults
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const LABEL: Readonly<Record<TranscriptSettingName, string>> = {
  maxArchiveBytes: 'One, before compression',
  maxStoredBytes: 'All of them, on disk',
  maxArchives: 'Number of them',
  keepDays: 'Days',
  keepStoredBytes: 'Room on disk',
  keepPerSession: 'Newest of each session',
};

function placeholderOf(name: TranscriptSettingName): string {
  if (name === 'maxArchiveBytes' || name === 'maxStoredBytes' || name === 'maxArchives') {
    return settingText(name, DEFAULT_TRANSCRIPT_LIMITS[name]);
  }
  return 'all';
}

interface KeptFieldProps {
  id: string;
  name: TranscriptSettingName;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

function KeptField({ id, name, value, problem, onChange }: KeptFieldProps) {
  const wrongId = `${id}-wrong`;
  return (
    <div>
      <label htmlFor={id}>{LABEL[name]}</label>
      <input
        id={id}
        name={name}
        className="field num w-full"
        autoComplete="off"
        placeholder={placeholderOf(name)}
        value={value}
        aria-invalid={problem !== undefined}
        {...(problem === undefined ? {} : { 'aria-describedby': wrongId })}
        onChange={({ target }) => onChange(target.value)}
      />
      {problem === undefined ? null : (
        <p id={wrongId} className="wrong">
          {LABEL[name]} {problem}
        </p>
      )}
    </div>
  );
}
