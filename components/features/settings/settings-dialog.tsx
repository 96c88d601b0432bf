'use client';
import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ProjectSettings } from '@/core/api/settings';
import { ApiError, fetchJson } from '../../data/fetch-json';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Field, Form } from '../../ui/form-parts';
import {
  type Fields,
  fieldText,
  findProblems,
  ownValues,
  readChange,
  type SettingsPart,
} from './project-fields';

export interface EditProps {
  settings: ProjectSettings;
  onSaved: () => void;
  onClose: () => void;
}

/**
 * A form for one part of a project's settings. If another operator saved first, the form shows the saved values, keeps
 * the input and lets the operator save again.
 */
export function useSettingsForm(part: SettingsPart, { settings, onSaved, onClose }: EditProps) {
  const path = `/api/v1/projects/${encodeURIComponent(settings.project)}/settings`;
  const { refresh } = useRouter();
  const [base, setBase] = useState(settings);
  const [typed, setTyped] = useState<Fields>({});
  const [problems, setProblems] = useState<Fields>({});
  const [notice, setNotice] = useState<Error | string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const own = ownValues(part, base);
  const change = readChange(typed, own);
  useEffect(() => {
    if (Object.keys(problems).length > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problems]);

  const { mutate, isPending } = useMutation({
    mutationFn: () => {
      const body = Object.entries(change).map(([name, value]) => [name.replace(/^windows\./, ''), value]);
      return fetchJson<ProjectSettings>(path, {
        method: 'PATCH',
        body: { version: base.version, [part]: Object.fromEntries(body) },
      });
    },
    onMutate: () => setNotice(null),
    onSuccess() {
      onSaved();
      onClose();
    },
    async onError(error) {
      const { code = '', field = '' } = error instanceof ApiError ? error : {};
      const name = [field, field.replace(`${part}.`, '')].find((each) => each in own || each in change);
      if (name !== undefined) return setProblems({ [name]: error.message });
      setNotice(error);
      if (code !== 'changed_meanwhile') return;
      const theirs = await fetchJson<ProjectSettings>(path, { cache: 'no-store' }).catch(() => null);
      if (theirs === null) return;
      setBase(theirs);
      setNotice('These settings were changed by someone else. Your input is kept; save again to apply it.');
    },
    onSettled: () => refresh(),
  });

  return {
    own,
    base,
    form,
    typed,
    change,
    problems,
    notice,
    isPending,
    type(next: Fields) {
      setTyped({ ...typed, ...next });
      setProblems({});
    },
    reset: () => setTyped(Object.fromEntries(Object.keys(own).map((name) => [name, '']))),
    save() {
      const found = findProblems(change);
      setProblems(found);
      if (isPending || Object.keys(found).length > 0) return;
      if (Object.keys(change).length === 0) onClose();
      else mutate();
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
  /** Saving waits for data that is still loading. */
  waits?: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function SettingsDialog(props: SettingsDialogProps) {
  const { form, submit = 'Save', waits = false, children, ...dialog } = props;
  const { notice, isPending } = form;
  return (
    <Dialog open {...dialog}>
      <Form
        ref={form.form}
        failure={notice}
        label={isPending ? 'Saving' : submit}
        disabled={isPending || waits}
        send={form.save}
        more={<Button onClick={form.reset}>Use defaults</Button>}
      >
        {children}
      </Form>
    </Dialog>
  );
}

interface SettingFieldProps {
  form: SettingsForm;
  name: string;
  label: string;
  placeholder: string;
}

/** One setting. The text of a problem starts with the setting's label. */
export function SettingField({ form, name, label, placeholder }: SettingFieldProps) {
  const problem = form.problems[name];
  return (
    <Field
      label={label}
      problem={problem && `${label.replace(/, %$/, '')} ${problem}`}
      name={name}
      className="num"
      placeholder={placeholder}
      value={form.typed[name] ?? fieldText(name, form.own)}
      onValue={(value) => form.type({ [name]: value })}
    />
  );
}
