import { type ReactNode, useId } from 'react';
import { Dialog } from '../../ui/dialog';
import type { SettingsForm } from './use-settings-form';

interface SettingsDialogProps<Name extends string> {
  form: SettingsForm<Name>;
  title: string;
  description: string;
  className: string;
  submit?: string;
  /** Every field without a setting. */
  defaults: Record<Name, string>;
  onClose: () => void;
  children: ReactNode;
}

/** The dialog around a part of a project's settings. */
export function SettingsDialog<Name extends string>(props: SettingsDialogProps<Name>) {
  const { form, submit = 'Save', defaults, children, ...dialog } = props;
  const { notice, isSending } = form;
  return (
    <Dialog open {...dialog}>
      <form ref={form.form} className="form" noValidate onSubmit={(event) => void form.save(event)}>
        <p role="alert" className={notice === '' ? 'sr-only' : 'notice'}>
          {notice}
        </p>
        {children}
        <div className="actions">
          <button type="submit" className="button primary" disabled={isSending}>
            {isSending ? 'Saving' : submit}
          </button>
          <button type="button" className="button" onClick={() => form.setFields(defaults)}>
            Use defaults
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface SettingFieldProps<Name extends string> {
  form: SettingsForm<Name>;
  name: Name;
  label: string;
  /** The field's name at the beginning of a problem. */
  subject: string;
  placeholder: string;
  inputMode?: 'decimal';
}

/** One setting, with its problem below. */
export function SettingField<Name extends string>(props: SettingFieldProps<Name>) {
  const { form, name, label, subject, placeholder, inputMode } = props;
  const id = useId();
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
        {...(problem === undefined ? {} : { 'aria-describedby': `${id}-wrong` })}
        onChange={({ target }) => form.change(name, target.value)}
      />
      {problem === undefined ? null : (
        <p id={`${id}-wrong`} className="wrong">
          {subject} {problem}
        </p>
      )}
    </div>
  );
}
