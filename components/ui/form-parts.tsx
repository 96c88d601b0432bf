'use client';
/** Parts of the forms in dialogs and on the log-in pages. */
import { useEffect, useEffectEvent, useId, useRef } from 'react';
import { ApiError } from '../data/fetch-json';
import { capitalised } from '../format/capitalised';
import { Button } from './button';

export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 0)
    return 'The server does not respond, so the change may be lost. Try again in a moment.';
  return `${capitalised(`${error.field} ${error.message}`.trim()).replace(/\.$/, '')}.`;
}

/** @param failure a failed request, or a text; null or empty: none */
export function Notice({ failure }: { failure: Error | string | null }) {
  const text = failure === null || typeof failure === 'string' ? failure : failureText(failure);
  return (
    <p role="alert" className={text ? 'notice' : 'sr-only'}>
      {text}
    </p>
  );
}

interface FormProps extends Omit<React.ComponentProps<'form'>, 'onSubmit'> {
  failure: Error | string | null;
  /** Label of the main button. */
  label: string;
  disabled: boolean;
  send: () => void;
  /** Further buttons. */
  more?: React.ReactNode;
}

/** Fields and a main button. A failure is shown above the fields. */
export function Form({ failure, label, disabled, send, more, children, className, ...form }: FormProps) {
  return (
    <form
      className={`form ${className ?? ''}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!disabled) send();
      }}
      {...form}
    >
      <Notice failure={failure} />
      {children}
      <div className="actions">
        <Button type="submit" className="primary" disabled={disabled}>
          {label}
        </Button>
        {more}
      </div>
    </form>
  );
}

interface FieldProps extends Omit<React.ComponentProps<'input'>, 'onChange'> {
  label: string;
  value: string;
  onValue: (value: string) => void;
  /** Text below the field; empty: none. */
  problem?: string | undefined;
}

/** A text field in the whole width. */
export function Field({ label, problem = '', onValue, className = '', ...more }: FieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const keepEarlyText = useEffectEvent(() => {
    const { value = more.value } = input.current ?? {};
    if (value !== more.value) onValue(value);
  });
  // A password manager or a fast typist may fill the field before React listens.
  useEffect(() => keepEarlyText(), []);
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={input}
        autoComplete="off"
        className={`field w-full ${className}`}
        aria-invalid={problem !== ''}
        {...(problem !== '' && { 'aria-describedby': `${id}-wrong` })}
        onChange={({ target }) => onValue(target.value)}
        {...more}
      />
      {problem === '' ? null : (
        <p id={`${id}-wrong`} className="wrong">
          {problem}
        </p>
      )}
    </div>
  );
}

interface SelectFieldProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  change: (value: string) => void;
}

export function SelectField({ label, value, options, change }: SelectFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id}>{label}</label>
      <select id={id} className="field w-full" value={value} onChange={({ target }) => change(target.value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}
