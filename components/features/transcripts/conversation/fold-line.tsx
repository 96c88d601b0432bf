interface FoldLineProps {
  isOpen: boolean;
  toggle: () => void;
  children: React.ReactNode;
  /** At the right end. */
  note?: React.ReactNode;
}

/** The line that opens and closes a fold. */
export function FoldLine({ isOpen, toggle, children, note }: FoldLineProps) {
  return (
    <button type="button" className="fold" aria-expanded={isOpen} onClick={toggle}>
      <svg width="7" height="8" viewBox="0 0 7 8" className="fold-mark" aria-hidden="true">
        <path d={isOpen ? 'M0 1.5h7L3.5 7z' : 'M1 .5 6.5 4 1 7.5z'} fill="currentColor" />
      </svg>
      <span className="fold-words">{children}</span>
      {note === undefined ? null : <span className="fold-note">{note}</span>}
    </button>
  );
}
