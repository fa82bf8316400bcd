package corpus

// japanese: a session in Japanese about dates on invoices.
func japanese() *script {
	s := newScript(105, "/home/haruka/開発/請求書", day(6, 18, 1, 25), "")
	s.use(models[1])
	s.thinking("medium")
	s.user("請求書の日付が和暦で「令和8年」ではなく「平成38年」になります。どこで変換していますか？ 🤔")
	s.name("和暦の変換ミス")
	s.calling(
		said("まず変換している場所を探します。"),
		s.bash("rg -n '平成|令和' src tests"),
		s.read("src/wareki.py"),
	)
	s.result("src/wareki.py:4:ERAS = [(\"平成\", date(1989, 1, 8)), (\"昭和\", date(1926, 12, 25))]\ntests/test_wareki.py:9:    assert wareki(date(2019, 4, 30)) == \"平成31年4月30日\"\n")
	s.result("from datetime import date\n\n# 新しい元号から順に並べる。\nERAS = [(\"平成\", date(1989, 1, 8)), (\"昭和\", date(1926, 12, 25))]\n\n\ndef wareki(d: date) -> str:\n" +
		"    for name, start in ERAS:\n        if d >= start:\n            year = d.year - start.year + 1\n            return f\"{name}{'元' if year == 1 else year}年{d.month}月{d.day}日\"\n" +
		"    raise ValueError(f\"対応していない日付です: {d}\")\n")
	found := s.answer(said("原因が分かりました。`ERAS` に「令和」（2019年5月1日開始）がありません。そのため2019年5月以降の日付がすべて「平成」として計算されています。\n\n" +
		"修正案：\n\n1. `ERAS` の先頭に `(\"令和\", date(2019, 5, 1))` を追加\n2. 改元の境目をテストに追加\n   - 2019-04-30 → 平成31年4月30日\n   - 2019-05-01 → 令和元年5月1日\n\n直しますか？"))
	s.label(found, "原因 🎯")
	s.user("お願いします。境目のテストも忘れずに 🙏")
	s.calling(
		s.edit("src/wareki.py", "ERAS = [(\"平成\"", "ERAS = [(\"令和\", date(2019, 5, 1)), (\"平成\""),
		s.bash("cat >> tests/test_wareki.py <<'PY'\n\n\ndef test_改元():\n    assert wareki(date(2019, 4, 30)) == \"平成31年4月30日\"\n    assert wareki(date(2019, 5, 1)) == \"令和元年5月1日\"\nPY\npytest -q"),
	)
	s.edited("src/wareki.py", 4, "- 4 ERAS = [(\"平成\", date(1989, 1, 8)), (\"昭和\", date(1926, 12, 25))]\n+ 4 ERAS = [(\"令和\", date(2019, 5, 1)), (\"平成\", date(1989, 1, 8)), (\"昭和\", date(1926, 12, 25))]\n")
	s.result("....                                                                     [100%]\n4 passed in 0.03s\n")
	s.answer(said("修正しました ✅ テストは4件すべて通っています。\n\n```\n┌────────────┬──────────────────┐\n│ 入力       │ 出力             │\n├────────────┼──────────────────┤\n" +
		"│ 2019-04-30 │ 平成31年4月30日  │\n│ 2019-05-01 │ 令和元年5月1日   │\n│ 2026-06-18 │ 令和8年6月18日   │\n└────────────┴──────────────────┘\n```\n\n" +
		"半角カナ（ﾚｲﾜ）や合字「㋿」を使っている帳票があれば、そちらも確認します。👩‍💻"))
	s.user("㋿ は使っていません。ありがとう！ 🎉")
	s.answer(said("それなら完了です。お疲れさまでした 🍵"))
	return s
}
