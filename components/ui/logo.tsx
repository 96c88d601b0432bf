export function Logo() {
  return (
    <svg width="20" height="14" viewBox="0 0 20 14" fill="none" stroke="currentColor" aria-hidden="true">
      <path d="M.5 12.3h4V9.2h3.4V6h3V1.7h2.6" strokeWidth="1.7" />
      <path d="M13.6 3v8" strokeWidth="1.1" strokeDasharray="1.2 1.5" />
      <path d="M13.6 12.3h3V9.5H20" strokeWidth="1.7" />
    </svg>
  );
}
