interface SelectProps {
  name: string;
  value: string;
  options: readonly string[];
  choose: (value: string) => void;
}

export function Select({ name, value, options, choose }: SelectProps) {
  return (
    <label className="flex items-baseline gap-[6px]">
      <span className="text-ink2">{name}</span>
      <select
        className="max-w-[180px] truncate bg-transparent"
        value={value}
        onChange={({ target }) => choose(target.value)}
      >
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}
