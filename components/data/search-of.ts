/** Convert a URL query to the search string of an API request, without empty values. */
export function searchOf(query: Readonly<Record<string, string | readonly string[] | Date | null>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const text = value instanceof Date ? value.toISOString() : (value ?? '');
    for (const one of [text].flat()) if (one !== '') params.append(name, one);
  }
  return params.toString();
}
