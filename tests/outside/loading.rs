//! Bad input: each gets one sentence that names the file, the place, what is wrong and what is allowed.

use std::fs;

use streamscope::scenario::{load, open, preset, schema};

/// What `load` says about `text`.
fn said(text: &str) -> String {
    match load("bad.json", text) {
        Ok(_) => panic!("this was read: {text}"),
        Err(error) => error.to_string(),
    }
}

/// A scenario with this program.
fn with_program(program: &str) -> String {
    format!("{{\"streamscope\": 1, \"name\": \"a\", \"title\": \"A\",\n  \"program\": {program}}}")
}

/// A scenario with these knobs.
fn with_knobs(knobs: &str) -> String {
    format!("{{\"streamscope\": 1, \"name\": \"a\", \"title\": \"A\", \"program\": [], \"knobs\": {knobs}}}")
}

#[track_caller]
fn assert_says(text: &str, parts: &[&str]) {
    let said = said(text);
    for part in parts {
        assert!(said.contains(part), "`{part}` is not in: {said}");
    }
    assert!(!said.contains('\n') && !said.contains(" at line "), "not one sentence: {said}");
}

#[test]
fn what_is_not_json_has_line_and_column() {
    assert_says("hello", &["bad.json:1:1: ", "not JSON"]);
    assert_says("{\n  \"streamscope\": 1,\n  name: 2}", &["bad.json:3:3: ", "double quotes"]);
    assert_says("{\"streamscope\": 1,}", &["bad.json:1:19: ", "comma"]);
    assert_says("{\"streamscope\": 1} {}", &["bad.json:1:20: ", "after the end"]);
    assert_says("{\"streamscope\": 1, \"名字\": tru}", &["bad.json:1:29: ", "not JSON"]);
}

#[test]
fn an_empty_file_is_called_empty() {
    assert_says("", &["bad.json: ", "empty"]);
    assert_says("\u{feff} \n", &["bad.json: ", "empty"]);
}

#[test]
fn half_a_file_is_incomplete_wherever_it_breaks_off() {
    let whole = preset("implicit-sync").unwrap().text.trim_end();
    for (end, _) in whole.char_indices() {
        let said = said(&whole[..end]);
        assert!(said.contains("complete?") || said.contains("empty") || said.contains("invalid number"), "{said}");
        assert!(said.starts_with("bad.json:"), "{said}");
    }
}

#[test]
fn deep_nesting_is_refused_without_using_the_stack() {
    let (open, close) = ("[".repeat(200_000), "]".repeat(200_000));
    assert_says(&open, &["bad.json:1:"]);
    assert_says(&with_program(&open), &["bad.json:2:"]);
    let half = with_program(&open);
    assert_says(half.trim_end_matches('}'), &["bad.json:2:200013: ", "complete?"]);
    assert_says(&with_program(&format!("{open}{close}")), &["bad.json:2:"]);
    let deep = format!("{}{}", "[{\"region\":{\"name\":\"r\",\"body\":".repeat(200_000), "[]}}]".repeat(199_999));
    assert_says(&with_program(&(deep + "[]}}]")), &["bad.json:2:"]);
    let nested = format!("{}[]{}", "[{\"region\":{\"name\":\"r\",\"body\":".repeat(1000), "}}]".repeat(1000));
    assert_says(&with_program(&nested), &["bad.json:2:", "128 deep"]);
}

#[test]
fn another_kind_of_document_is_not_a_scenario() {
    assert_says("[1, 2]", &["bad.json:1:1: ", "`streamscope`"]);
    assert_says("{\"traceEvents\": []}", &["bad.json: ", "`streamscope`", "missing"]);
}

#[test]
fn a_file_of_the_future_asks_for_a_newer_program() {
    let future = "{\"shiny\": {\"new\": [1, {}]}, \"streamscope\": 2, \"program\": {\"tracks\": 4}}";
    assert_says(future, &["bad.json: ", "version 2", "up to version 1", "newer Streamscope"]);
    assert_says("{\"streamscope\": 0}", &["version 0", "first version is 1"]);
    assert_says("{\n\"streamscope\": \"1\"}", &["bad.json:2:18: ", "whole number"]);
    assert_says("{\"streamscope\": 1, \"streamscope\": 2}", &["bad.json:1:32: ", "`streamscope` stands twice"]);
}

#[test]
fn an_unknown_statement_is_named_with_those_that_exist() {
    assert_says(&with_program("[{\"lunch\": {}}]"), &["bad.json:2:", "`lunch`", "`launch`", "`repeat`"]);
    assert_says(&with_program("[\"synchronize\"]"), &["bad.json:2:", "{\"name\": {…}}"]);
    assert_says(&with_program("[3]"), &["bad.json:2:15: wrong kind", "an object"]);
    assert_says(&with_program("[{}]"), &["bad.json:2:16: wrong kind", "one name"]);
    assert_says(
        &with_program("[{\"clock\": {\"into\": \"t\"}, \"a\": 1}]"),
        &["bad.json:2:37: wrong kind", "one name"],
    );
    assert_says(&with_program("3"), &["bad.json:2:14: ", "`3`", "list"]);
}

#[test]
fn an_unknown_key_is_named_with_those_that_exist() {
    assert_says(&with_program("[{\"item\": {\"from\": \"x\"}}]"), &["bad.json:2:30: ", "`from`", "`of`", "`into`"]);
    assert_says(&with_program("[{\"empty_cache\": {\"now\": true}}]"), &["bad.json:2:", "`now`", "none"]);
    assert_says(&with_program("[],\n\"progam\": []"), &["bad.json:3:8: ", "`progam`", "`program`"]);
}

#[test]
fn a_missing_key_and_a_wrong_value_are_named() {
    assert_says(
        "{\"streamscope\": 1, \"name\": \"a\", \"title\": \"A\"}",
        &["bad.json:1:45: ", "`program`", "missing"],
    );
    assert_says(&with_program("[{\"item\": {}}]"), &["bad.json:2:", "`of`", "missing"]);
    assert_says(&with_program("[{\"item\": {\"of\": 3}}]"), &["bad.json:2:31: ", "`3`", "text"]);
    assert_says(&with_program("[{\"item\": {\"of\": \"3x\"}}]"), &["bad.json:2:35: ", "`3x` is not a name"]);
    assert_says(&with_program("[{\"work\": {\"dur_us\": \"2*\"}}]"), &["bad.json:2:", "`2*`", "starts with `=`"]);
    assert_says(&with_program("[{\"work\": {\"dur_us\": \"=2*\"}}]"), &["bad.json:2:", "expected a number"]);
    assert_says(&with_program("[{\"work\": {\"dur_us\": 1e999}}]"), &["bad.json:2:", "out of range"]);
}

#[test]
fn knobs_must_fit_together() {
    let number = |rest: &str| with_knobs(&format!("[{{\"number\": {{\"id\": \"n\", \"label\": \"N\", {rest}}}}}]"));
    assert_says(
        &number("\"default\": 9, \"min\": 1, \"max\": 8"),
        &["bad.json:1:120: /knobs/0/number/default", "from 1 to 8"],
    );
    assert_says(&number("\"default\": 5, \"min\": 9, \"max\": 8"), &["/knobs/0/number/min", "8"]);
    assert_says(
        &number("\"default\": 5, \"min\": 1, \"max\": 8, \"step\": 0"),
        &["/knobs/0/number/step", "more than 0"],
    );
    let toggle = |id: &str| format!("{{\"toggle\": {{\"id\": \"{id}\", \"label\": \"T\", \"default\": true}}}}");
    for id in ["", "2a", "a-b", "a b", "max", "true", "名"] {
        assert_says(&with_knobs(&format!("[{}]", toggle(id))), &["/knobs/0/toggle/id", "expression", "letters"]);
    }
    assert_says(&with_knobs(&format!("[{0}, {0}]", toggle("t"))), &["/knobs/1/toggle/id", "`t`", "second knob"]);
    let choice = |default: &str, ids: [&str; 2]| {
        let options = ids.map(|id| format!("{{\"id\": \"{id}\", \"label\": \"o\"}}")).join(", ");
        with_knobs(&format!(
            "[{{\"choice\": {{\"id\": \"c\", \"label\": \"C\", \"default\": \"{default}\", \"options\": [{options}]}}}}]"
        ))
    };
    assert_says(&choice("z", ["a", "b"]), &["/knobs/0/choice/default", "`z`", "a, b"]);
    assert_says(&choice("a", ["a", "a"]), &["/knobs/0/choice/options", "`a`", "twice"]);
    assert_says(&choice("a", ["a", "it's"]), &["/knobs/0/choice/options", "`it's`"]);
}

#[test]
fn references_set_knobs_that_exist() {
    let reference = |knobs: &str| {
        format!(
            "{{\"streamscope\": 1, \"name\": \"a\", \"title\": \"A\", \"program\": [], \"references\": [{{\"knobs\": {knobs}, \
             \"metric\": \"m_us\", \"measured\": 1, \"source\": \"s\"}}]}}"
        )
    };
    assert!(load("good.json", &reference("{}")).is_ok());
    assert_says(&reference("{\"k\": 1}"), &["/references/0/knobs/k", "no knob `k`"]);
    assert_says(&reference("{\"k\": []}"), &["bad.json:1:", "a number"]);
}

#[test]
fn files_are_opened_with_a_byte_order_mark_and_refused_when_they_are_not_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.json");
    let text = preset("implicit-sync").unwrap().text;
    fs::write(&path, format!("\u{feff}{text}")).unwrap();
    assert_eq!(open(&path).unwrap(), load("", text).unwrap());
    fs::write(&path, b"{\"streamscope\": \xff").unwrap();
    let said = open(&path).unwrap_err().to_string();
    assert!(said.contains("s.json") && said.contains("offset 16") && said.contains("UTF-8"), "{said}");
    fs::write(&path, " ".repeat((16 << 20) + 1)).unwrap();
    assert!(open(&path).unwrap_err().to_string().contains("larger than 16 MiB"));
    assert!(open(folder.path()).unwrap_err().to_string().contains("cannot read"));
}

#[test]
fn the_example_of_the_format_is_a_scenario() {
    let format = include_str!("../../docs/scenario-format.md");
    let example = format.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    load("scenario-format.md", example).unwrap();
}

#[test]
fn the_format_names_every_statement() {
    let format = include_str!("../../docs/scenario-format.md");
    for statement in schema()["$defs"]["Statement"]["oneOf"].as_array().unwrap() {
        let tag = statement["required"][0].as_str().unwrap();
        assert!(format.contains(&format!("`{tag}`")), "scenario-format.md does not name the statement `{tag}`");
    }
}
