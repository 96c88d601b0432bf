'use client';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import type { ProjectSettings } from '@/core/api/settings';
import { readAgain, sendChange } from './send-change';

/** A part of a project's settings, as a form has it: each setting as the text of its field. */
export interface SettingsPart<Name extends string> {
  /** Its name in the API, and before its field's in a refusal. */
  key: 'thresholds' | 'transcripts';
  /** In the order of the fields. */
  names: readonly Name[];
  /** What it is called: `lines`; and what else somebody may have changed. */
  called: string;
  other: string;
  fieldsOf: (settings: ProjectSettings) => Record<Name, string>;
  /** What is wrong with a field, as the end of a sentence behind its name. */
  problemsOf: (fields: Record<Name, string>, settings: ProjectSettings) => Partial<Record<Name, string>>;
  /** Only what differs from `settings`. */
  changeOf: (fields: Record<Name, string>, settings: ProjectSettings) => Partial<Record<Name, unknown>>;
  /** What a setting is, in words: `warning 60 %`. */
  wordsOf: (name: Name, settings: ProjectSettings) => string;
}

interface SettingsFormOptions<Name extends string> {
  settings: ProjectSettings;
  part: SettingsPart<Name>;
  onChanged: (settings: ProjectSettings) => void;
  onClose: () => void;
  /** Asked before a change is sent; what it says no to is not. */
  mayGo?: (say: (notice: string) => void) => Promise<boolean>;
}

export interface SettingsForm<Name extends string> {
  /** What is stored, as far as this form has seen it. */
  base: ProjectSettings;
  form: RefObject<HTMLFormElement | null>;
  fields: Record<Name, string>;
  setFields: (fields: Record<Name, string>) => void;
  problems: Partial<Record<Name, string>>;
  notice: string;
  isSending: boolean;
  change: (name: Name, value: string) => void;
  save: (event: FormEvent) => Promise<void>;
}

/**
 * A form over one part of a project's settings. Two operators at once: the second is shown what the first one set, keeps
 * what was typed, and decides.
 */
export function useSettingsForm<Name extends string>({
  settings,
  part,
  onChanged,
  onClose,
  mayGo,
}: SettingsFormOptions<Name>): SettingsForm<Name> {
  const [base, setBase] = useState(settings);
  const [fields, setFields] = useState(() => part.fieldsOf(settings));
  const [problems, setProblems] = useState<Partial<Record<Name, string>>>({});
  const [notice, setNotice] = useState('');
  const [isSending, setIsSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const path = `/projects/${encodeURIComponent(settings.project)}/settings`;

  function showProblems(next: Partial<Record<Name, string>>): void {
    setProblems(next);
    const first = part.names.find((name) => next[name] !== undefined);
    if (first !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isSending) return;
    const found = part.problemsOf(fields, base);
    showProblems(found);
    if (Object.keys(found).length > 0) return;
    const change = part.changeOf(fields, base);
    if (Object.keys(change).length === 0) return onClose();
    setIsSending(true);
    setNotice('');
    if (mayGo !== undefined && !(await mayGo(setNotice))) return setIsSending(false);
    const body = { version: base.version, [part.key]: change };
    const sent = await sendChange<ProjectSettings>('PATCH', path, body);
    setIsSending(false);
    if (sent.ok) {
      onChanged(sent.value);
      onClose();
      return;
    }
    const name = part.names.find((known) => sent.field === `${part.key}.${known}`);
    if (name !== undefined) showProblems({ [name]: sent.reason } as Partial<Record<Name, string>>);
    else if (sent.code === 'changed_meanwhile') await takeTheirs();
    else setNotice(sent.reason);
  }

  /** What was typed stays; beneath it lies what is stored now. */
  async function takeTheirs(): Promise<void> {
    const now = await readAgain<ProjectSettings>(path);
    if (!now.ok) return setNotice(now.reason);
    const typed = part.changeOf(fields, base);
    const before = part.fieldsOf(base);
    const theirs = part.fieldsOf(now.value);
    const words = part.names
      .filter((name) => theirs[name] !== before[name])
      .map((name) => part.wordsOf(name, now.value));
    const merged = { ...theirs };
    for (const name of part.names) if (name in typed) merged[name] = fields[name];
    setBase(now.value);
    onChanged(now.value);
    setFields(merged);
    setNotice(
      `Somebody changed these ${part.called} meanwhile: ${words.length === 0 ? part.other : words.join(', ')}. ` +
        'What you typed is kept; save again to set it on top.',
    );
  }

  return {
    base,
    form,
    fields,
    setFields,
    problems,
    notice,
    isSending,
    change(name, value) {
      setFields({ ...fields, [name]: value });
      setProblems({ ...problems, [name]: undefined });
    },
    save,
  };
}
