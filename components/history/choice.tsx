interface ChoiceProps {
  on: boolean;
  onChoose: () => void;
  /** What it is called where its word alone does not say. */
  label?: string;
  children: React.ReactNode;
}

/** One of some: the chosen one is underlined. */
export function Choice({ on, onChoose, label, children }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={on}
      {...(label === undefined ? {} : { 'aria-label': label })}
      onClick={onChoose}
      className={on ? 'underline decoration-[1.5px] underline-offset-[5px]' : 'text-ink2 hover:text-ink'}
    >
      {children}
    </button>
  );
}
