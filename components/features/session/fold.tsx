interface FoldProps {
  isOpen: boolean;
  /** The id of what it folds. */
  of: string;
  toggle: () => void;
  className: string;
  children: React.ReactNode;
}

/** Opens and closes what is folded where there is little room. */
export function Fold({ isOpen, of, toggle, className, children }: FoldProps) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      aria-controls={of}
      onClick={toggle}
      className={`inline-flex min-h-[34px] items-center gap-[6px] text-ink2 hover:text-ink aria-expanded:text-ink ${className}`}
    >
      <svg width="7" height="7" aria-hidden="true" className={isOpen ? 'rotate-90' : ''} fill="currentColor">
        <path d="M1 0l5 3.5L1 7z" />
      </svg>
      {children}
    </button>
  );
}
