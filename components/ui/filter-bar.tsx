/** Parts of the bars above lists: words to look for, menus, and switches that stand side by side. */
import { MenuMark } from '../fleet/filter-selects';

interface FilterTextProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  /** Its width. */
  className: string;
}

/** Words to look for; Esc takes them away, and then leaves the field. */
export function FilterText({ label, placeholder, value, onChange, className }: FilterTextProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        if (value === '') event.currentTarget.blur();
        else onChange('');
      }}
      className={`h-[28px] appearance-none border-b border-hair2 bg-transparent outline-none focus:border-ink [&::-webkit-search-cancel-button]:hidden ${className}`}
    />
  );
}

interface FilterMenuProps {
  label: string;
  value: string;
  /** Word while nothing is chosen. */
  none: string;
  onChange: (value: string) => void;
  children: React.ReactNode;
}

/** A plain menu of options; its first one takes the filter away. */
export function FilterMenu({ label, value, none, onChange, children }: FilterMenuProps) {
  return (
    <span className="relative inline-flex min-w-0 shrink-0 items-center">
      <select
        aria-label={label}
        value={value}
        className={`field-sizing-content max-w-[170px] min-w-0 appearance-none truncate bg-transparent pr-[11px] ${value === '' ? 'text-ink2 hover:text-ink' : 'font-medium text-ink'}`}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{value === '' ? none : `any ${none}`}</option>
        {children}
      </select>
      <MenuMark />
    </span>
  );
}

interface ProjectMenuProps {
  value: string;
  projects: readonly string[];
  onChange: (project: string) => void;
}

/** The projects to choose from, with one that is chosen and gone; nothing where there is no choice. */
export function ProjectMenu({ value, projects, onChange }: ProjectMenuProps) {
  if (projects.length < 2 && value === '') return null;
  return (
    <FilterMenu label="Filter by project" value={value} none="project" onChange={onChange}>
      {[...new Set([...(value === '' ? [] : [value]), ...projects])].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </FilterMenu>
  );
}

interface FilterSwitchProps {
  isOn: boolean;
  toggle: () => void;
  children: React.ReactNode;
}

/** One of several that may be on at once; on, it is underlined. */
export function FilterSwitch({ isOn, toggle, children }: FilterSwitchProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={toggle}
      className={`h-[28px] border-y-[1.5px] border-t-transparent ${isOn ? 'border-b-ink' : 'border-b-transparent text-ink2 hover:border-b-hair2 hover:text-ink'}`}
    >
      {children}
    </button>
  );
}
