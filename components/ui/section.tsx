interface SectionProps {
  id: string;
  title: string;
  note: React.ReactNode;
  children: React.ReactNode;
}

export function Section({ id, title, note, children }: SectionProps) {
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

export const SECTION_SKELETON = (
  <div aria-busy="true">
    <span className="sr-only">Loading</span>
    <div className="h-[144px] bg-[repeating-linear-gradient(transparent_0_35px,var(--hair)_35px_36px)]" />
  </div>
);

/** A label and its setting in a list of settings (dl). */
export function SettingRow({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="grid min-h-[44px] items-center gap-x-[16px] gap-y-[4px] border-b border-hair py-[6px] first:pt-0 sm:grid-cols-[150px_minmax(0,1fr)]">
      <dt className="text-ink2">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
