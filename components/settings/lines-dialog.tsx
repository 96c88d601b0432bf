'use client';
import { type FormEvent, useId, useRef, useState } from 'react';
import { THRESHOLD_NAMES, type ThresholdName } from '@/core/accounting/threshold-problem';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { ProjectSettings } from '@/core/api/settings';
import { formatPercent } from '../format/format-percent';
import { Dialog } from '../ui/dialog';
import {
  findLineProblems,
  LINE_NAME,
  type LineProblems,
  percentText,
  readChange,
  toFields,
} from './line-fields';
import { readAgain, sendChange } from './send-change';

interface LinesDialogProps {
  settings: ProjectSettings;
  onChanged: (settings: ProjectSettings) => void;
  onClose: () => void;
}

/**
 * The lines of one project. Two operators at once: the second is shown what the first one set, keeps what he typed,
 * and decides.
 */
export function LinesDialog({ settings, onChanged, onClose }: LinesDialogProps) {
  const [base, setBase] = useState(settings);
  const [fields, setFields] = useState(() => toFields(settings.own));
  const [problems, setProblems] = useState<LineProblems>({});
  const [notice, setNotice] = useState('');
  const [isSending, setIsSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const id = useId();
  const path = `/projects/${encodeURIComponent(settings.project)}/settings`;

  function showProblems(next: LineProblems): void {
    setProblems(next);
    const first = THRESHOLD_NAMES.find((name) => next[name] !== undefined);
    if (first !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    const found = findLineProblems(fields, base.own);
    showProblems(found);
    if (Object.keys(found).length > 0) return;
    const thresholds = readChange(fields, base.own);
    if (Object.keys(thresholds).length === 0) return onClose();
    setIsSending(true);
    setNotice('');
    const sent = await sendChange<ProjectSettings>('PATCH', path, { version: base.version, thresholds });
    setIsSending(false);
    if (sent.ok) {
      onChanged(sent.value);
      onClose();
      return;
    }
    const name = THRESHOLD_NAMES.find((known) => sent.field === `thresholds.${known}`);
    if (name !== undefined) showProblems({ [name]: sent.reason });
    else if (sent.code === 'changed_meanwhile') await takeTheirs();
    else setNotice(sent.reason);
  }

  /** What was typed stays; beneath it lies what is stored now. */
  async function takeTheirs(): Promise<void> {
    const now = await readAgain<ProjectSettings>(path);
    if (!now.ok) return setNotice(now.reason);
    const typed = readChange(fields, base.own);
    const theirs = toFields(now.value.own);
    const words = THRESHOLD_NAMES.filter((name) => theirs[name] !== toFields(base.own)[name]).map(
      (name) => `${LINE_NAME[name]} ${percentText(now.value.thresholds[name])} %`,
    );
    setBase(now.value);
    onChanged(now.value);
    const merged = { ...theirs };
    for (const name of THRESHOLD_NAMES) if (name in typed) merged[name] = fields[name];
    setFields(merged);
    setNotice(
      `Somebody changed these lines meanwhile: ${words.join(', ')}. What you typed is kept; save again to set it on top.`,
    );
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title={`Lines of ${settings.project}`}
      description="Shares of the limit, in percent. They hold from the next turn on: what was recorded is not rewritten. An empty field is the default; a restart line above 100 means never."
      className="top-[10vh] w-[520px]"
    >
      <form ref={form} className="settings-form" noValidate onSubmit={(event) => void save(event)}>
        <p role="alert" className={notice === '' ? 'sr-only' : 'notice'}>
          {notice}
        </p>
        <div className="lines">
          {THRESHOLD_NAMES.map((name) => (
            <LineField
              key={name}
              id={`${id}-${name}`}
              name={name}
              value={fields[name]}
              problem={problems[name]}
              onChange={(value) => {
                setFields({ ...fields, [name]: value });
                setProblems({ ...problems, [name]: undefined });
              }}
            />
          ))}
        </div>
        <div className="actions">
          <button type="submit" className="button primary" disabled={isSending}>
            {isSending ? 'Saving' : 'Save'}
          </button>
          <button type="button" className="button" onClick={() => setFields(toFields(NO_LINES))}>
            All defaults
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const NO_LINES: ProjectSettings['own'] = {
  elevated: null,
  warning: null,
  critical: null,
  redlined: null,
  compressLine: null,
  restartLine: null,
};

interface LineFieldProps {
  id: string;
  name: ThresholdName;
  value: string;
  problem: string | undefined;
  onChange: (value: string) => void;
}

function LineField({ id, name, value, problem, onChange }: LineFieldProps) {
  const wrongId = `${id}-wrong`;
  return (
    <div>
      <label htmlFor={id}>{LINE_NAME[name]}, %</label>
      <input
        id={id}
        name={name}
        className="field num w-full"
        inputMode="decimal"
        autoComplete="off"
        placeholder={`${formatPercent(DEFAULT_THRESHOLDS[name])} by default`}
        value={value}
        aria-invalid={problem !== undefined}
        {...(problem === undefined ? {} : { 'aria-describedby': wrongId })}
        onChange={({ target }) => onChange(target.value)}
      />
      {problem === undefined ? null : (
        <p id={wrongId} className="wrong">
          {LINE_NAME[name]} {problem}
        </p>
      )}
    </div>
  );
}
