import type { ReactNode } from 'react';
import { Dialog } from '../ui/dialog';
import type { SettingsForm } from './use-settings-form';

interface SettingsDialogProps<Name extends string> {
  form: SettingsForm<Name>;
  title: string;
  description: string;
  className: string;
  /** What saving does, where it does more than that. */
  submit?: string;
  /** Every field as it is without a setting. */
  defaults: Record<Name, string>;
  onClose: () => void;
  children: ReactNode;
}

/** The dialog around the fields of a part of a project's settings. */
export function SettingsDialog<Name extends string>({
  form,
  title,
  description,
  className,
  submit = 'Save',
  defaults,
  onClose,
  children,
}: SettingsDialogProps<Name>) {
  const { notice, isSending } = form;
  return (
    <Dialog open onClose={onClose} title={title} description={description} className={className}>
      <form ref={form.form} className="settings-form" noValidate onSubmit={(event) => void form.save(event)}>
        <p role="alert" className={notice === '' ? 'sr-only' : 'notice'}>
          {notice}
        </p>
        {children}
        <div className="actions">
          <button type="submit" className="button primary" disabled={isSending}>
            {isSending ? 'Saving' : submit}
          </button>
          <button type="button" className="button" onClick={() => form.setFields(defaults)}>
            All defaults
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface SettingFieldProps<Name extends string> {
  form: SettingsForm<Name>;
  name: Name;
  /** What the field is called, and what of that a problem begins with. */
  label: string;
  subject: string;
  placeholder: string;
  inputMode?: 'decimal';
  /** Of the dialog, to tell its fields from those of others. */
  idPrefix: string;
}

/** One setting, with what is wrong with it below. */
export function SettingField<Name extends string>({
  form,
  name,
  label,
  subject,
  placeholder,
  inputMode,
  idPrefix,
}: SettingFieldProps<Name>) {
  const id = `${idPrefix}-${name}`;
  const wrongId = `${id}-wrong`;
  const problem = form.problems[name];
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        className="field num w-full"
        autoComplete="off"
        placeholder={placeholder}
        value={form.fields[name]}
        aria-invalid={problem !== undefined}
        {...(inputMode === undefined ? {} : { inputMode })}
        {...(problem === undefined ? {} : { 'aria-describedby': wrongId })}
        onChange={({ target }) => form.change(name, target.value)}
      />
      {problem === undefined ? null : (
        <p id={wrongId} className="wrong">
          {subject} {problem}
        </p>
      )}
    </div>
  );
}
