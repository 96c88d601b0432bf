'use client';
import { type FormEvent, useRef, useState } from 'react';
import type { ProjectSettings } from '@/core/api/settings';
import { ApiError, fetchJson } from '../../data/fetch-json';

/** A part of a project's settings; a form holds each setting as the text of its field. */
export interface SettingsPart<Name extends string> {
  /** Its name in the API, and the prefix of the fields of a refusal. */
  key: 'thresholds' | 'transcripts';
  /** In the order of the fields. */
  names: readonly Name[];
  /** Its name on the screen: `lines`. */
  title: string;
  fieldsOf: (settings: ProjectSettings) => Record<Name, string>;
  /** The problem of each field, as the end of a sentence after its name. */
  problemsOf: (fields: Record<Name, string>, settings: ProjectSettings) => Partial<Record<Name, string>>;
  /** Only the differences from `settings`. */
  changeOf: (fields: Record<Name, string>, settings: ProjectSettings) => Partial<Record<Name, unknown>>;
  /** A setting in words: `warning 60 %`. */
  wordsOf: (name: Name, settings: ProjectSettings) => string;
}

interface SettingsFormOptions<Name extends string> {
  settings: ProjectSettings;
  part: SettingsPart<Name>;
  onChanged: (settings: ProjectSettings) => void;
  onClose: () => void;
  /** Asked before a change is sent; a text refuses it. */
  refuse?: () => Promise<string | null>;
}

export type SettingsForm<Name extends string> = ReturnType<typeof useSettingsForm<Name>>;

export const settingsPath = (project: string) => `/api/v1/projects/${encodeURIComponent(project)}`;

/** The reason of a failed request as a sentence. */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 0)
    return 'The server does not answer, so the change may be lost. Try again in a moment.';
  const text = `${error.field} ${error.message}`.trim();
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}

/**
 * A form over one part of a project's settings. When another operator saved first, the form shows their values, keeps
 * what was typed and lets the operator save again.
 */
export function useSettingsForm<Name extends string>(options: SettingsFormOptions<Name>) {
  const { settings, part, onChanged, onClose, refuse } = options;
  const [base, setBase] = useState(settings);
  const [fields, setFields] = useState(() => part.fieldsOf(settings));
  const [problems, setProblems] = useState<Partial<Record<Name, string>>>({});
  const [notice, setNotice] = useState('');
  const [isSending, setIsSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const path = `${settingsPath(settings.project)}/settings`;

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
    try {
      const refusal = (await refuse?.()) ?? null;
      if (refusal !== null) return setNotice(refusal);
      const body = { version: base.version, [part.key]: change };
      onChanged(await fetchJson<ProjectSettings>(path, { method: 'PATCH', body }));
      onClose();
    } catch (error) {
      await handleFailure(error);
    } finally {
      setIsSending(false);
    }
  }

  async function handleFailure(error: unknown): Promise<void> {
    if (error instanceof ApiError && error.code === 'changed_meanwhile') {
      await mergeTheirs().catch((failure: unknown) => setNotice(failureText(failure)));
      return;
    }
    const field = error instanceof ApiError ? error.field : '';
    const name = part.names.find((known) => field === `${part.key}.${known}`);
    if (name === undefined) setNotice(failureText(error));
    else showProblems({ [name]: (error as ApiError).message } as Partial<Record<Name, string>>);
  }

  /** Keep what was typed on top of what is stored now. */
  async function mergeTheirs(): Promise<void> {
    const now = await fetchJson<ProjectSettings>(path, { cache: 'no-store' });
    const typed = part.changeOf(fields, base);
    const before = part.fieldsOf(base);
    const theirs = part.fieldsOf(now);
    const words = part.names
      .filter((name) => theirs[name] !== before[name])
      .map((name) => part.wordsOf(name, now));
    const merged = { ...theirs };
    for (const name of part.names) if (name in typed) merged[name] = fields[name];
    setBase(now);
    onChanged(now);
    setFields(merged);
    setNotice(
      `These ${part.title} were changed by someone else: ${words.join(', ') || 'other settings of the project'}. ` +
        'Your input is kept; save again to apply it.',
    );
  }

  return {
    /** What is stored, as far as this form knows. */
    base,
    form,
    fields,
    setFields,
    problems,
    notice,
    isSending,
    change(name: Name, value: string) {
      setFields({ ...fields, [name]: value });
      setProblems({ ...problems, [name]: undefined });
    },
    save,
  };
}
