import { MenuMark } from '../fleet/filter-selects';

interface SelectFilterProps {
  label: string;
  value: string;
  /** Word while nothing is chosen. */
  none: string;
  /** What can be chosen; what is chosen already is there in any case. */
  names: readonly string[];
  onChange: (value: string) => void;
}

/** A filter of one name among many, in the line of filters. */
export function SelectFilter({ label, value, none, names, onChange }: SelectFilterProps) {
  const all = value === '' || names.includes(value) ? names : [value, ...names];
  return (
    <span className="relative inline-flex shrink-0 items-center">
      <select
        aria-label={label}
        value={value}
        className={`field-sizing-content max-w-[170px] min-w-0 appearance-none truncate bg-transparent pr-[11px] ${value === '' ? 'text-ink2 hover:text-ink' : 'font-medium text-ink'}`}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">{value === '' ? none : `any ${none}`}</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <MenuMark />
    </span>
  );
}
