interface FilterTextProps {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  className: string;
}

/** Esc clears the text, then leaves the field. */
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
  none: string;
  onChange: (value: string) => void;
  children: React.ReactNode;
}

/** A menu of options; the first one removes the filter. */
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

interface NameMenuProps {
  label: string;
  value: string;
  none: string;
  names: readonly string[];
  show?: (name: string) => string;
  onChange: (name: string) => void;
}

/** A menu of names. A chosen name that no longer exists stays listed. With one name and no filter there is no menu. */
export function NameMenu({ names, show = (name) => name, ...menu }: NameMenuProps) {
  const { value } = menu;
  if (names.length < 2 && value === '') return null;
  return (
    <FilterMenu {...menu}>
      {(value === '' || names.includes(value) ? names : [value, ...names]).map((name) => (
        <option key={name} value={name}>
          {show(name)}
        </option>
      ))}
    </FilterMenu>
  );
}

interface ProjectMenuProps extends Pick<NameMenuProps, 'value' | 'onChange'> {
  projects: readonly string[];
}

export function ProjectMenu({ projects, ...menu }: ProjectMenuProps) {
  return <NameMenu label="Filter by project" none="project" names={projects} {...menu} />;
}

interface FilterSwitchProps {
  isOn: boolean;
  label?: string;
  title?: string;
  toggle: () => void;
  /** False: drawn in ink even while off. */
  isQuiet?: boolean;
  className?: string;
  children: React.ReactNode;
}

export function FilterSwitch(props: FilterSwitchProps) {
  const { isOn, label, title, toggle, isQuiet = true, className = '', children } = props;
  const off = `border-b-transparent hover:border-b-hair2 ${isQuiet ? 'text-ink2 hover:text-ink' : ''}`;
  return (
    <button
      type="button"
      aria-pressed={isOn}
      aria-label={label}
      title={title}
      onClick={toggle}
      className={`h-[28px] border-y-[1.5px] border-t-transparent whitespace-nowrap ${isOn ? 'border-b-ink' : off} ${className}`}
    >
      {children}
    </button>
  );
}

export function MenuMark() {
  return (
    <svg
      width="6"
      height="4"
      viewBox="0 0 6 4"
      className="pointer-events-none absolute top-1/2 right-0 -translate-y-1/2"
      aria-hidden="true"
    >
      <path d="M0 0h6L3 4z" fill="currentColor" />
    </svg>
  );
}
