'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { ProjectSettings } from '@/core/api/settings';
import { ApiError, fetchJson } from '../../data/fetch-json';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import {
  capitalised,
  type Fields,
  fieldText,
  findProblems,
  ownValues,
  readChange,
  SETTING_NAMES,
  type SettingName,
  type SettingsPart,
} from './project-fields';

/** The reason of a failed request as a sentence. */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 0)
    return 'The server does not answer, so the change may be lost. Try again in a moment.';
  return `${capitalised(`${error.field} ${error.message}`.trim()).replace(/\.$/, '')}.`;
}

export interface EditProps {
  settings: ProjectSettings;
  onClose: () => void;
}

/**
 * A form over one part of a project's settings. When another operator saved first, the form shows their values, keeps
 * what was typed and lets the operator save again.
 */
export function useSettingsForm(part: SettingsPart, { settings, onClose }: EditProps) {
  const names = SETTING_NAMES[part];
  const path = `/api/v1/projects/${encodeURIComponent(settings.project)}/settings`;
  const [base, setBase] = useState(settings);
  const [typed, setTyped] = useState<Fields>({});
  const [problems, setProblems] = useState<Fields>({});
  const [notice, setNotice] = useState('');
  const form = useRef<HTMLFormElement>(null);
  const { refresh } = useRouter();
  const change = readChange(typed, ownValues(base));

  function showProblems(next: Fields): void {
    setProblems(next);
    const first = names.find((name) => next[name] !== undefined);
    if (first !== undefined) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
  }

  const saving = useMutation({
    mutationFn: () =>
      fetchJson<ProjectSettings>(path, { method: 'PATCH', body: { version: base.version, [part]: change } }),
    onMutate: () => setNotice(''),
    onSuccess() {
      refresh();
      onClose();
    },
    async onError(error) {
      const { code = '', field = '' } = error instanceof ApiError ? error : {};
      const name = names.find((known) => field === `${part}.${known}`);
      if (code === 'changed_meanwhile')
        await showTheirs().catch((failure) => setNotice(failureText(failure)));
      else if (name === undefined) setNotice(failureText(error));
      else showProblems({ [name]: error.message });
    },
  });

  async function showTheirs(): Promise<void> {
    const now = await fetchJson<ProjectSettings>(path, { cache: 'no-store' });
    setBase(now);
    refresh();
    setNotice(
      'These settings were changed by someone else meanwhile. Your input is kept; save again to apply it.',
    );
  }

  return {
    base,
    form,
    typed,
    change,
    problems,
    notice,
    isSending: saving.isPending,
    type(next: Fields) {
      setTyped({ ...typed, ...next });
      setProblems({});
    },
    reset: () => setTyped(Object.fromEntries(names.map((name) => [name, '']))),
    save(event: FormEvent) {
      event.preventDefault();
      const found = findProblems(change);
      showProblems(found);
      if (saving.isPending || Object.keys(found).length > 0) return;
      if (Object.keys(change).length === 0) onClose();
      else saving.mutate();
    },
  };
}

type SettingsForm = ReturnType<typeof useSettingsForm>;

interface SettingsDialogProps {
  form: SettingsForm;
  title: string;
  description: string;
  className: string;
  submit?: string;
  /** Saving waits for something that loads. */
  waits?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The dialog around a part of a project's settings. */
export function SettingsDialog(props: SettingsDialogProps) {
  const { form, submit = 'Save', waits = false, children, ...dialog } = props;
  const { notice, isSending } = form;
  return (
    <Dialog open {...dialog}>
      <form ref={form.form} className="form" noValidate onSubmit={form.save}>
        <Notice text={notice} />
        {children}
        <div className="actions">
          <Button type="submit" className="primary" disabled={isSending || waits}>
            {isSending ? 'Saving' : submit}
          </Button>
          <Button onClick={form.reset}>Use defaults</Button>
        </div>
      </form>
    </Dialog>
  );
}

/** A failure at the head of a form; empty: none. */
export function Notice({ text }: { text: string }) {
  return (
    <p role="alert" className={text === '' ? 'sr-only' : 'notice'}>
      {text}
    </p>
  );
}

interface SettingFieldProps {
  form: SettingsForm;
  name: SettingName;
  label: string;
  placeholder: string;
}

/** One setting; its problem begins with its name. */
export function SettingField({ form, name, label, placeholder }: SettingFieldProps) {
  const problem = form.problems[name];
  return (
    <Field
      label={label}
      problem={problem === undefined ? '' : `${label.replace(/, %$/, '')} ${problem}`}
      name={name}
      className="field num w-full"
      placeholder={placeholder}
      value={form.typed[name] ?? fieldText(name, ownValues(form.base))}
      onChange={({ target }) => form.type({ [name]: target.value })}
    />
  );
}

interface FieldProps extends React.ComponentProps<'input'> {
  label: string;
  /** Empty: none. */
  problem: string;
}

/** A text field with its problem below. */
export function Field({ label, problem, ...input }: FieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        autoComplete="off"
        aria-invalid={problem !== ''}
        {...(problem !== '' && { 'aria-describedby': `${id}-wrong` })}
        {...input}
      />
      {problem === '' ? null : (
        <p id={`${id}-wrong`} className="wrong">
          {problem}
        </p>
      )}
    </div>
  );
}
