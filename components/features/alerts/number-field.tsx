import { Field } from '../../ui/form-parts';

interface NumberFieldProps {
  label: string;
  /** Null: empty. */
  value: number | null;
  placeholder?: string;
  change: (value: number) => void;
}

/** A whole number; an empty field is 0. */
export function NumberField({ label, value, placeholder = '', change }: NumberFieldProps) {
  return (
    <Field
      label={label}
      inputMode="numeric"
      className="num"
      placeholder={placeholder}
      value={value === null ? '' : String(value)}
      onValue={(text) => {
        if (/^\d{0,8}$/.test(text)) change(Number(text));
      }}
    />
  );
}
