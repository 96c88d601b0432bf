/** A part of the settings: its name at the left, what it holds at the right, one strong rule on top. */
export function Section({
  id,
  title,
  note,
  children,
}: {
  id: string;
  title: string;
  note: React.ReactNode;
  children: React.ReactNode;
}) {
  return (
    <section
      aria-labelledby={id}
      className="grid grid-cols-1 gap-x-[36px] gap-y-[12px] border-t border-ink pt-[14px] pb-[36px] lg:grid-cols-[232px_minmax(0,1fr)]"
    >
      <div>
        <h2 id={id} className="strong">
          {title}
        </h2>
        <p className="max-w-[56ch] pt-[4px] text-small text-ink2">{note}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
