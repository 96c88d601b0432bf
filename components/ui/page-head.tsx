/** The head of a page that is text: its title and one sentence. */
export function PageHead({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <header className="pt-[28px] pb-[20px]">
      <h1 className="text-title">{title}</h1>
      <p className="max-w-[64ch] pt-[4px] text-ink2">{children}</p>
    </header>
  );
}
