BEGIN TRANSACTION;
CREATE TABLE answers (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	question VARCHAR NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	response JSON, 
	rt_ms DOUBLE, 
	client JSON NOT NULL, 
	received DOUBLE NOT NULL, 
	CONSTRAINT uq_answers_question UNIQUE (question), 
	CONSTRAINT fk_answers_question FOREIGN KEY(question) REFERENCES questions (id), 
	CONSTRAINT fk_answers_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_answers_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "answers" VALUES(1,'qtsaa2boij0wwkL1WIUGUA',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946644832897185e+09);
INSERT INTO "answers" VALUES(2,'63ELk42UK16ZsG4V07dKwA',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946645233798026e+09);
INSERT INTO "answers" VALUES(3,'7jkWJJkGR1vRLYxDAsBENg',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946645537853236e+09);
INSERT INTO "answers" VALUES(4,'c--HF40QTB6CjxEdeOqYdw',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946645805287357e+09);
INSERT INTO "answers" VALUES(5,'eSYoAd7xTZgaCMpB6_UAww',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.7953494664619407654e+09);
INSERT INTO "answers" VALUES(6,'8KdxT8QoeOl2ll7rrRwubg',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946646605777739e+09);
INSERT INTO "answers" VALUES(7,'TkfgQFOqwAHdIsTPXCWA5g',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.7953494664688227177e+09);
INSERT INTO "answers" VALUES(8,'mOwxHatRKlmB-6erYjeSCA',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946647292375566e+09);
INSERT INTO "answers" VALUES(9,'isEkVazHonHW3JINwP8ETg',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946647895455361e+09);
INSERT INTO "answers" VALUES(10,'c-8nHVFRewqz7dGij4Y9tA',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946648295140264e+09);
INSERT INTO "answers" VALUES(11,'PAx-o3qybRllsTKPGYEYfA',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946648583960534e+09);
INSERT INTO "answers" VALUES(12,'4Fzw9GtvidIXRXNcvDwWfw',1,1,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1795349466.48819);
INSERT INTO "answers" VALUES(13,'MyWKSnofZgjj4BoWM8VtyA',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946652509856224e+09);
INSERT INTO "answers" VALUES(14,'iKUX7aWLmeoNLhq3DFW-kA',1,2,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946652783131606e+09);
INSERT INTO "answers" VALUES(15,'qcj40NNfmXQ4Bg0Pr-BmVw',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946653046107289e+09);
INSERT INTO "answers" VALUES(16,'KNE2eX-httr7AuetvYeIeQ',1,2,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946653491282462e+09);
INSERT INTO "answers" VALUES(17,'q8Try7l15pypSPFt770EhQ',1,2,NULL,400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.7953494665379302502e+09);
INSERT INTO "answers" VALUES(18,'aUgHX--lwUXIW4JkzxPhSQ',1,2,'{"chosen":1}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946654059457773e+09);
INSERT INTO "answers" VALUES(19,'ulE25lO9wPS4zUtOrVgrfw',1,2,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946654337739945e+09);
INSERT INTO "answers" VALUES(20,'3zzom0vojUmrx8G-HOqN4w',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946656887578961e+09);
INSERT INTO "answers" VALUES(21,'PyooXx3QLLPzyoNgxjbO6Q',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946657145237916e+09);
INSERT INTO "answers" VALUES(22,'77NN2nqY2EfVGOsl4Bwg3A',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946657399654395e+09);
INSERT INTO "answers" VALUES(23,'a9ihBgplaWCQ_91h3BVf-w',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946657637071608e+09);
INSERT INTO "answers" VALUES(24,'D0t5bwcZ2jk7cCoaK4b5Dg',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946657906866072e+09);
INSERT INTO "answers" VALUES(25,'IOuYjIyVEgW4zWOEkFp5Aw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946658160662652e+09);
INSERT INTO "answers" VALUES(26,'xVy9RT5fzE93U7sqIEpcaA',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1795349466.58389);
INSERT INTO "answers" VALUES(27,'38rBqmMWLcqK2yj6CMWtwg',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946658635282518e+09);
INSERT INTO "answers" VALUES(28,'iMdBwq3CW_Eymca8qCcdCQ',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1795349466.58881);
INSERT INTO "answers" VALUES(29,'dx_d9bHiy_1hutEeva6_GA',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946659094929695e+09);
INSERT INTO "answers" VALUES(30,'ueM864zjK1TAW6ZMcjaPPQ',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946659303140635e+09);
INSERT INTO "answers" VALUES(31,'3vokG-97g81EypFz0vppUw',1,3,'{"chosen":0}',400.0,'{"shown":0.0,"input":"mouse","focus_losses":0,"unfocused_ms":0.0,"screen":{"width":0.0,"height":0.0,"ratio":1.0},"loading_ms":0.0,"timing":null,"plays":null,"restarts":0}',1.79534946659551596648e+09);
CREATE TABLE events (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	who VARCHAR NOT NULL, 
	what VARCHAR NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT fk_events_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "events" VALUES(1,1,1.79534946634372448923e+09,'server','study added','{}');
INSERT INTO "events" VALUES(2,1,1.79534946665588736533e+09,'quality rule','quality rule','{"participant":"P0001","rule":"side above 0.95","action":"flag","value":1.0,"reason":"1.00 of 10 answers: side above 0.95"}');
INSERT INTO "events" VALUES(3,1,1.79534946666667771342e+09,'quality rule','quality rule','{"participant":"P0003","rule":"side above 0.95","action":"flag","value":1.0,"reason":"1.00 of 10 answers: side above 0.95"}');
INSERT INTO "events" VALUES(4,1,1.79534946676654958721e+09,'researcher','participant excluded','{"participant":"P0003","reason":"he told me that he guessed"}');
INSERT INTO "events" VALUES(5,1,1.79534947238563537602e+09,'worker','fit','{"number":1,"answers":28,"held_out_answers":0,"held_out_error":null,"held_out_log_loss":null,"trust":1.0,"left_out":["P0003"],"seconds":0.017}');
INSERT INTO "events" VALUES(6,1,1.79534947238659262653e+09,'worker','map','{"told":28,"trust":1.0,"noise":[1.0,0.0],"held_out_loss":[],"positions":[[0.81369,0.143015],[-0.464061,0.128535],[0.973918,-0.345063],[-0.538089,-0.150478],[0.040651,0.442351],[-0.826108,-0.218359]],"left_out":["P0003"],"likelihood":{"P0001":[0.614886,8],"P0002":[0.408206,3],"P0003":[0.519009,8],"P0006":[0.792859,8]}}');
INSERT INTO "events" VALUES(7,1,1.7953494725893354416e+09,'researcher','participant erased','{"participant":"P0006"}');
CREATE TABLE exclusions (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	excluded BOOLEAN NOT NULL, 
	reason VARCHAR NOT NULL, 
	"by" VARCHAR NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT fk_exclusions_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_exclusions_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "exclusions" VALUES(1,1,3,1,'he told me that he guessed','researcher',1.79534946676654958721e+09);
CREATE TABLE pages (
	id INTEGER NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	page VARCHAR NOT NULL, 
	response JSON NOT NULL, 
	received DOUBLE NOT NULL, 
	CONSTRAINT pk_pages PRIMARY KEY (id), 
	CONSTRAINT uq_pages_participant_page UNIQUE (participant, page), 
	CONSTRAINT fk_pages_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_pages_participant FOREIGN KEY(participant) REFERENCES participants (id)
);
INSERT INTO "pages" VALUES(1,1,1,'consent','{"agree":true,"values":{},"seconds":0.0}',1.79534946643038821221e+09);
INSERT INTO "pages" VALUES(2,1,1,'instructions','{"agree":null,"values":{},"seconds":0.0}',1.79534946643773055076e+09);
INSERT INTO "pages" VALUES(3,1,1,'questionnaire-1','{"agree":null,"values":{"age":41},"seconds":0.0}',1.79534946649446940417e+09);
INSERT INTO "pages" VALUES(4,1,2,'consent','{"agree":true,"values":{},"seconds":0.0}',1.79534946650708770749e+09);
INSERT INTO "pages" VALUES(5,1,2,'instructions','{"agree":null,"values":{},"seconds":0.0}',1.79534946651792597766e+09);
INSERT INTO "pages" VALUES(6,1,3,'consent','{"agree":true,"values":{},"seconds":0.0}',1.79534946655293226242e+09);
INSERT INTO "pages" VALUES(7,1,3,'instructions','{"agree":null,"values":{},"seconds":0.0}',1795349466.56184);
INSERT INTO "pages" VALUES(8,1,4,'consent','{"agree":false,"values":{},"seconds":0.0}',1.79534946660182023053e+09);
CREATE TABLE participants (
	id INTEGER NOT NULL, 
	study INTEGER NOT NULL, 
	code VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	external_id VARCHAR, 
	token_hash VARCHAR, 
	state VARCHAR NOT NULL, 
	browser JSON NOT NULL, 
	created DOUBLE NOT NULL, 
	finished DOUBLE, 
	completion_code VARCHAR, 
	CONSTRAINT pk_participants PRIMARY KEY (id), 
	CONSTRAINT uq_participants_study_code UNIQUE (study, code), 
	CONSTRAINT uq_participants_study_source_external_id UNIQUE (study, source, external_id), 
	CONSTRAINT fk_participants_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT uq_participants_token_hash UNIQUE (token_hash)
);
INSERT INTO "participants" VALUES(1,1,'P0001','prolific','000000000000000000000001','f803d93b543b0864cf4378cd033f36b7214823f6e23d1f7857ceb8182af6a64a','finished','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session1"}}',1.79534946642215085025e+09,1.79534946649865698817e+09,'C0FFEE42');
INSERT INTO "participants" VALUES(2,1,'P0002','prolific','000000000000000000000002','1ebf91f7d5f89d4e5220668dc90bfa3e2a0fbfbb7deda41cad08c9eccd17cef1','consented','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session2"}}',1.79534946650238895417e+09,NULL,NULL);
INSERT INTO "participants" VALUES(3,1,'P0003','prolific','000000000000000000000003','d0015665dc8b424f25c55ea56877919f4c183b5d621723ad02cfe10277500dc8','consented','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session3"}}',1.79534946654870390886e+09,NULL,NULL);
INSERT INTO "participants" VALUES(4,1,'P0004','prolific','000000000000000000000004','41c64c0aa471d39aad48c182f7d856e2074791aca0bd937f31c3ba2de6e513b2','stopped','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session4"}}',1.79534946659910726548e+09,NULL,NULL);
INSERT INTO "participants" VALUES(5,1,'P0005','prolific','000000000000000000000005','4a9c27a68bb0b23915c36c5a662a6d88c7996668f3fb1d14b6df9acffcec24fc','entered','{"agent":"Firefox/140.0","languages":["de"],"timezone":"","screen":{"width":0,"height":0,"ratio":1},"touch":false,"reduced_motion":false,"dark":false,"page":"","parameters":{"STUDY_ID":"s1","SESSION_ID":"session5"}}',1.79534946660556793212e+09,NULL,NULL);
INSERT INTO "participants" VALUES(6,1,'P0006','prolific',NULL,NULL,'stopped','{}',1.79534946660866236685e+09,1.79534946675367093086e+09,NULL);
CREATE TABLE pool (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	study INTEGER NOT NULL, 
	spec JSON NOT NULL, 
	round INTEGER NOT NULL, 
	made DOUBLE NOT NULL, 
	taken DOUBLE, 
	CONSTRAINT fk_pool_study FOREIGN KEY(study) REFERENCES studies (id)
);
INSERT INTO "pool" VALUES(1,1,'{"kind":"triplet","head":"sharp","options":["dark","loud"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-0"}',0,1.79534946641856265063e+09,1.79534946644191837315e+09);
INSERT INTO "pool" VALUES(2,1,'{"kind":"triplet","head":"dark","options":["bright","calm"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-1"}',0,1.79534946641856265063e+09,1.79534946644191837315e+09);
INSERT INTO "pool" VALUES(3,1,'{"kind":"triplet","head":"bright","options":["calm","dark"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-2"}',0,1.79534946641856265063e+09,1.79534946645233798026e+09);
INSERT INTO "pool" VALUES(4,1,'{"kind":"triplet","head":"soft","options":["calm","sharp"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-3"}',0,1.79534946641856265063e+09,1.79534946645805287357e+09);
INSERT INTO "pool" VALUES(5,1,'{"kind":"triplet","head":"calm","options":["bright","soft"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-4"}',0,1.79534946641856265063e+09,1.7953494664619407654e+09);
INSERT INTO "pool" VALUES(6,1,'{"kind":"triplet","head":"loud","options":["sharp","dark"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-5"}',0,1.79534946641856265063e+09,1.79534946646605777739e+09);
INSERT INTO "pool" VALUES(7,1,'{"kind":"triplet","head":"dark","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-6"}',0,1.79534946641856265063e+09,1.7953494664688227177e+09);
INSERT INTO "pool" VALUES(8,1,'{"kind":"triplet","head":"loud","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-7"}',0,1.79534946641856265063e+09,1.79534946647292375566e+09);
INSERT INTO "pool" VALUES(9,1,'{"kind":"triplet","head":"calm","options":["dark","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-8"}',0,1.79534946641856265063e+09,1.79534946652169322967e+09);
INSERT INTO "pool" VALUES(10,1,'{"kind":"triplet","head":"sharp","options":["calm","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-9"}',0,1.79534946641856265063e+09,1.79534946652169322967e+09);
INSERT INTO "pool" VALUES(11,1,'{"kind":"triplet","head":"soft","options":["dark","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-10"}',0,1.79534946641856265063e+09,1.79534946652509856224e+09);
INSERT INTO "pool" VALUES(12,1,'{"kind":"triplet","head":"bright","options":["loud","soft"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-11"}',0,1.79534946641856265063e+09,1.79534946653046107289e+09);
INSERT INTO "pool" VALUES(13,1,'{"kind":"triplet","head":"dark","options":["bright","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-12"}',0,1.79534946641856265063e+09,1.7953494665379302502e+09);
INSERT INTO "pool" VALUES(14,1,'{"kind":"triplet","head":"bright","options":["soft","dark"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-13"}',0,1.79534946641856265063e+09,1.79534946654059457773e+09);
INSERT INTO "pool" VALUES(15,1,'{"kind":"triplet","head":"calm","options":["sharp","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-14"}',0,1.79534946641856265063e+09,1.79534946654337739945e+09);
INSERT INTO "pool" VALUES(16,1,'{"kind":"triplet","head":"calm","options":["sharp","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-15"}',0,1.79534946641856265063e+09,1.79534946656575727461e+09);
INSERT INTO "pool" VALUES(17,1,'{"kind":"triplet","head":"dark","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-16"}',0,1.79534946641856265063e+09,1.79534946656575727461e+09);
INSERT INTO "pool" VALUES(18,1,'{"kind":"triplet","head":"soft","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-17"}',0,1.79534946641856265063e+09,1.79534946656887578961e+09);
INSERT INTO "pool" VALUES(19,1,'{"kind":"triplet","head":"loud","options":["dark","calm"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-18"}',0,1.79534946641856265063e+09,1.79534946657145237916e+09);
INSERT INTO "pool" VALUES(20,1,'{"kind":"triplet","head":"soft","options":["dark","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-19"}',0,1.79534946641856265063e+09,1.79534946657399654395e+09);
INSERT INTO "pool" VALUES(21,1,'{"kind":"triplet","head":"dark","options":["sharp","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-20"}',0,1.79534946641856265063e+09,1.79534946657637071608e+09);
INSERT INTO "pool" VALUES(22,1,'{"kind":"triplet","head":"calm","options":["loud","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-21"}',0,1.79534946641856265063e+09,1.79534946657906866072e+09);
INSERT INTO "pool" VALUES(23,1,'{"kind":"triplet","head":"calm","options":["soft","loud"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-22"}',0,1.79534946641856265063e+09,1795349466.58389);
INSERT INTO "pool" VALUES(24,1,'{"kind":"triplet","head":"bright","options":["calm","loud"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-23"}',0,1.79534946641856265063e+09,1.79534946661983203881e+09);
INSERT INTO "pool" VALUES(25,1,'{"kind":"triplet","head":"dark","options":["loud","calm"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-24"}',0,1.79534946641856265063e+09,1.79534946661983203881e+09);
INSERT INTO "pool" VALUES(26,1,'{"kind":"triplet","head":"sharp","options":["loud","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-25"}',0,1.79534946641856265063e+09,1.795349466632140398e+09);
INSERT INTO "pool" VALUES(27,1,'{"kind":"triplet","head":"loud","options":["dark","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-26"}',0,1.79534946641856265063e+09,1.79534946664039516449e+09);
INSERT INTO "pool" VALUES(28,1,'{"kind":"triplet","head":"dark","options":["loud","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-27"}',0,1.79534946641856265063e+09,1.79534946665132331845e+09);
INSERT INTO "pool" VALUES(29,1,'{"kind":"triplet","head":"bright","options":["dark","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-28"}',0,1.79534946641856265063e+09,1.79534946665873861308e+09);
INSERT INTO "pool" VALUES(30,1,'{"kind":"triplet","head":"loud","options":["soft","calm"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-29"}',0,1.79534946641856265063e+09,1.79534946666605567931e+09);
INSERT INTO "pool" VALUES(31,1,'{"kind":"triplet","head":"soft","options":["calm","dark"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-30"}',0,1.79534946641856265063e+09,1.79534946668244767189e+09);
INSERT INTO "pool" VALUES(173,1,'{"kind":"triplet","head":"loud","options":["sharp","bright"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-31"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(174,1,'{"kind":"triplet","head":"soft","options":["bright","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-32"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(175,1,'{"kind":"triplet","head":"sharp","options":["soft","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-33"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(176,1,'{"kind":"triplet","head":"bright","options":["loud","dark"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-34"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(177,1,'{"kind":"triplet","head":"sharp","options":["dark","calm"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-35"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(178,1,'{"kind":"triplet","head":"dark","options":["calm","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-36"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(179,1,'{"kind":"triplet","head":"calm","options":["loud","dark"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-37"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(180,1,'{"kind":"triplet","head":"loud","options":["sharp","calm"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-38"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(181,1,'{"kind":"triplet","head":"soft","options":["loud","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-39"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(182,1,'{"kind":"triplet","head":"sharp","options":["dark","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-40"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(183,1,'{"kind":"triplet","head":"bright","options":["calm","dark"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-41"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(184,1,'{"kind":"triplet","head":"calm","options":["loud","sharp"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-42"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(185,1,'{"kind":"triplet","head":"sharp","options":["calm","loud"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-43"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(186,1,'{"kind":"triplet","head":"bright","options":["soft","sharp"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-44"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(187,1,'{"kind":"triplet","head":"sharp","options":["soft","loud"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-45"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(188,1,'{"kind":"triplet","head":"soft","options":["calm","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-46"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(189,1,'{"kind":"triplet","head":"bright","options":["loud","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-47"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(190,1,'{"kind":"triplet","head":"dark","options":["sharp","calm"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-48"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(191,1,'{"kind":"triplet","head":"bright","options":["sharp","loud"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-49"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(192,1,'{"kind":"triplet","head":"sharp","options":["calm","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-50"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(193,1,'{"kind":"triplet","head":"loud","options":["dark","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-51"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(194,1,'{"kind":"triplet","head":"sharp","options":["soft","dark"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-52"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(195,1,'{"kind":"triplet","head":"dark","options":["loud","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-53"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(196,1,'{"kind":"triplet","head":"soft","options":["loud","calm"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-54"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(197,1,'{"kind":"triplet","head":"loud","options":["calm","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-55"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(198,1,'{"kind":"triplet","head":"soft","options":["dark","loud"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-56"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(199,1,'{"kind":"triplet","head":"soft","options":["calm","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-57"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(200,1,'{"kind":"triplet","head":"loud","options":["bright","soft"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-58"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(201,1,'{"kind":"triplet","head":"loud","options":["dark","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-59"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(202,1,'{"kind":"triplet","head":"soft","options":["sharp","loud"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-60"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(203,1,'{"kind":"triplet","head":"calm","options":["sharp","dark"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-61"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(204,1,'{"kind":"triplet","head":"loud","options":["sharp","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-62"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(205,1,'{"kind":"triplet","head":"bright","options":["calm","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-63"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(206,1,'{"kind":"triplet","head":"calm","options":["bright","dark"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-64"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(207,1,'{"kind":"triplet","head":"bright","options":["calm","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-65"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(208,1,'{"kind":"triplet","head":"calm","options":["soft","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-66"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(209,1,'{"kind":"triplet","head":"calm","options":["dark","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-67"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(210,1,'{"kind":"triplet","head":"calm","options":["soft","loud"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-68"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(211,1,'{"kind":"triplet","head":"sharp","options":["calm","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-69"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(212,1,'{"kind":"triplet","head":"soft","options":["dark","sharp"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-70"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(213,1,'{"kind":"triplet","head":"calm","options":["soft","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-71"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(214,1,'{"kind":"triplet","head":"dark","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-72"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(215,1,'{"kind":"triplet","head":"sharp","options":["dark","loud"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-73"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(216,1,'{"kind":"triplet","head":"dark","options":["soft","bright"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-74"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(217,1,'{"kind":"triplet","head":"dark","options":["soft","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-75"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(218,1,'{"kind":"triplet","head":"calm","options":["bright","loud"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-76"}',1,1.79534947746958184239e+09,NULL);
INSERT INTO "pool" VALUES(219,1,'{"kind":"triplet","head":"dark","options":["calm","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-77"}',1,1.79534947746958184239e+09,NULL);
CREATE TABLE questions (
	id VARCHAR NOT NULL, 
	study INTEGER NOT NULL, 
	participant INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	purpose VARCHAR NOT NULL, 
	spec JSON NOT NULL, 
	pool_id INTEGER, 
	served DOUBLE NOT NULL, 
	state VARCHAR NOT NULL, 
	CONSTRAINT pk_questions PRIMARY KEY (id), 
	CONSTRAINT uq_questions_participant_place UNIQUE (participant, place), 
	CONSTRAINT fk_questions_study FOREIGN KEY(study) REFERENCES studies (id), 
	CONSTRAINT fk_questions_participant FOREIGN KEY(participant) REFERENCES participants (id), 
	CONSTRAINT fk_questions_pool_id FOREIGN KEY(pool_id) REFERENCES pool (id) ON DELETE SET NULL
);
INSERT INTO "questions" VALUES('qtsaa2boij0wwkL1WIUGUA',1,1,0,'triplet','practice','{"kind":"triplet","head":"soft","options":["sharp","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946644191837315e+09,'answered');
INSERT INTO "questions" VALUES('63ELk42UK16ZsG4V07dKwA',1,1,1,'triplet','practice','{"kind":"triplet","head":"sharp","options":["soft","bright"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946644191837315e+09,'answered');
INSERT INTO "questions" VALUES('7jkWJJkGR1vRLYxDAsBENg',1,1,2,'triplet','main','{"kind":"triplet","head":"sharp","options":["dark","loud"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-0"}',1,1.79534946644191837315e+09,'answered');
INSERT INTO "questions" VALUES('c--HF40QTB6CjxEdeOqYdw',1,1,3,'triplet','main','{"kind":"triplet","head":"dark","options":["bright","calm"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-1"}',2,1.79534946644191837315e+09,'answered');
INSERT INTO "questions" VALUES('eSYoAd7xTZgaCMpB6_UAww',1,1,4,'triplet','gold','{"kind":"triplet","head":"bright","options":["bright","sharp"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946644832897185e+09,'answered');
INSERT INTO "questions" VALUES('8KdxT8QoeOl2ll7rrRwubg',1,1,5,'triplet','main','{"kind":"triplet","head":"bright","options":["calm","dark"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-2"}',3,1.79534946645233798026e+09,'answered');
INSERT INTO "questions" VALUES('TkfgQFOqwAHdIsTPXCWA5g',1,1,6,'triplet','gold','{"kind":"triplet","head":"bright","options":["calm","bright"],"gold":1,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946645537853236e+09,'answered');
INSERT INTO "questions" VALUES('mOwxHatRKlmB-6erYjeSCA',1,1,7,'triplet','main','{"kind":"triplet","head":"soft","options":["calm","sharp"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-3"}',4,1.79534946645805287357e+09,'answered');
INSERT INTO "questions" VALUES('isEkVazHonHW3JINwP8ETg',1,1,8,'triplet','main','{"kind":"triplet","head":"calm","options":["bright","soft"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-4"}',5,1.7953494664619407654e+09,'answered');
INSERT INTO "questions" VALUES('c-8nHVFRewqz7dGij4Y9tA',1,1,9,'triplet','main','{"kind":"triplet","head":"loud","options":["sharp","dark"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-5"}',6,1.79534946646605777739e+09,'answered');
INSERT INTO "questions" VALUES('PAx-o3qybRllsTKPGYEYfA',1,1,10,'triplet','main','{"kind":"triplet","head":"dark","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-6"}',7,1.7953494664688227177e+09,'answered');
INSERT INTO "questions" VALUES('4Fzw9GtvidIXRXNcvDwWfw',1,1,11,'triplet','main','{"kind":"triplet","head":"loud","options":["soft","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-7"}',8,1.79534946647292375566e+09,'answered');
INSERT INTO "questions" VALUES('MyWKSnofZgjj4BoWM8VtyA',1,2,0,'triplet','practice','{"kind":"triplet","head":"dark","options":["loud","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946652169322967e+09,'answered');
INSERT INTO "questions" VALUES('iKUX7aWLmeoNLhq3DFW-kA',1,2,1,'triplet','practice','{"kind":"triplet","head":"dark","options":["loud","soft"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946652169322967e+09,'answered');
INSERT INTO "questions" VALUES('qcj40NNfmXQ4Bg0Pr-BmVw',1,2,2,'triplet','main','{"kind":"triplet","head":"calm","options":["dark","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-8"}',9,1.79534946652169322967e+09,'answered');
INSERT INTO "questions" VALUES('KNE2eX-httr7AuetvYeIeQ',1,2,3,'triplet','main','{"kind":"triplet","head":"sharp","options":["calm","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-9"}',10,1.79534946652169322967e+09,'answered');
INSERT INTO "questions" VALUES('q8Try7l15pypSPFt770EhQ',1,2,4,'triplet','main','{"kind":"triplet","head":"soft","options":["dark","bright"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-10"}',11,1.79534946652509856224e+09,'skipped');
INSERT INTO "questions" VALUES('aUgHX--lwUXIW4JkzxPhSQ',1,2,5,'triplet','gold','{"kind":"triplet","head":"sharp","options":["sharp","bright"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946652783131606e+09,'answered');
INSERT INTO "questions" VALUES('ulE25lO9wPS4zUtOrVgrfw',1,2,6,'triplet','main','{"kind":"triplet","head":"bright","options":["loud","soft"],"gold":null,"strategy":"start","held_out":false,"session":"a76cb86c-11"}',12,1.79534946653046107289e+09,'answered');
INSERT INTO "questions" VALUES('TUQxa8OFKpczGkQL_xaHxQ',1,2,7,'triplet','gold','{"kind":"triplet","head":"dark","options":["dark","sharp"],"gold":0,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946653491282462e+09,'out');
INSERT INTO "questions" VALUES('Jv8FJbvnAh3wskKaYWC0wQ',1,2,8,'triplet','main','{"kind":"triplet","head":"dark","options":["bright","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-12"}',13,1.7953494665379302502e+09,'out');
INSERT INTO "questions" VALUES('piGNCrgwOqid0ru0xfwLDw',1,2,9,'triplet','main','{"kind":"triplet","head":"bright","options":["soft","dark"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-13"}',14,1.79534946654059457773e+09,'out');
INSERT INTO "questions" VALUES('-HKxe1OB58XNN3LZZGmm9g',1,2,10,'triplet','main','{"kind":"triplet","head":"calm","options":["sharp","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-14"}',15,1.79534946654337739945e+09,'out');
INSERT INTO "questions" VALUES('3zzom0vojUmrx8G-HOqN4w',1,3,0,'triplet','practice','{"kind":"triplet","head":"soft","options":["calm","loud"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946656575727461e+09,'answered');
INSERT INTO "questions" VALUES('PyooXx3QLLPzyoNgxjbO6Q',1,3,1,'triplet','practice','{"kind":"triplet","head":"bright","options":["dark","calm"],"gold":null,"strategy":"random","held_out":false,"session":null}',NULL,1.79534946656575727461e+09,'answered');
INSERT INTO "questions" VALUES('77NN2nqY2EfVGOsl4Bwg3A',1,3,2,'triplet','main','{"kind":"triplet","head":"calm","options":["sharp","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-15"}',16,1.79534946656575727461e+09,'answered');
INSERT INTO "questions" VALUES('a9ihBgplaWCQ_91h3BVf-w',1,3,3,'triplet','main','{"kind":"triplet","head":"dark","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-16"}',17,1.79534946656575727461e+09,'answered');
INSERT INTO "questions" VALUES('D0t5bwcZ2jk7cCoaK4b5Dg',1,3,4,'triplet','main','{"kind":"triplet","head":"soft","options":["loud","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-17"}',18,1.79534946656887578961e+09,'answered');
INSERT INTO "questions" VALUES('IOuYjIyVEgW4zWOEkFp5Aw',1,3,5,'triplet','main','{"kind":"triplet","head":"loud","options":["dark","calm"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-18"}',19,1.79534946657145237916e+09,'answered');
INSERT INTO "questions" VALUES('xVy9RT5fzE93U7sqIEpcaA',1,3,6,'triplet','main','{"kind":"triplet","head":"soft","options":["dark","sharp"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-19"}',20,1.79534946657399654395e+09,'answered');
INSERT INTO "questions" VALUES('38rBqmMWLcqK2yj6CMWtwg',1,3,7,'triplet','main','{"kind":"triplet","head":"dark","options":["sharp","soft"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-20"}',21,1.79534946657637071608e+09,'answered');
INSERT INTO "questions" VALUES('iMdBwq3CW_Eymca8qCcdCQ',1,3,8,'triplet','main','{"kind":"triplet","head":"calm","options":["loud","bright"],"gold":null,"strategy":"random","held_out":false,"session":"a76cb86c-21"}',22,1.79534946657906866072e+09,'answered');
INSERT INTO "questions" VALUES('dx_d9bHiy_1hutEeva6_GA',1,3,9,'triplet','gold','{"kind":"triplet","head":"calm","options":["soft","calm"],"gold":1,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946658160662652e+09,'answered');
INSERT INTO "questions" VALUES('ueM864zjK1TAW6ZMcjaPPQ',1,3,10,'triplet','main','{"kind":"triplet","head":"calm","options":["soft","loud"],"gold":null,"strategy":"held out","held_out":true,"session":"a76cb86c-22"}',23,1795349466.58389,'answered');
INSERT INTO "questions" VALUES('3vokG-97g81EypFz0vppUw',1,3,11,'triplet','gold','{"kind":"triplet","head":"sharp","options":["dark","sharp"],"gold":1,"strategy":"gold","held_out":false,"session":null}',NULL,1.79534946658635282518e+09,'answered');
CREATE TABLE resemblance_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT resemblance_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "resemblance_version" VALUES('0001');
CREATE TABLE studies (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	settings VARCHAR NOT NULL, 
	stimuli JSON NOT NULL, 
	state VARCHAR NOT NULL, 
	created DOUBLE NOT NULL, 
	CONSTRAINT pk_studies PRIMARY KEY (id), 
	CONSTRAINT uq_studies_name UNIQUE (name)
);
INSERT INTO "studies" VALUES(1,'words','[study]
name = "words"
title = "Words that are alike"

[stimuli]
items = "items.csv"

[tasks]
per_participant = 1
task_size = 10
practice = 2

[asking]
start_per_head = 2
refit_every = 10
held_out = 0.1

[quality]
rules = [{ measure = "side", above = 0.95, after = 10, action = "flag" }]

[recruitment]
source = "prolific"
completion_code = "C0FFEE42"

[pages]
questionnaire = ["pages/about.md"]
','{"calm":"2b4b2eadf7b2aece598d2f2ad4637361","loud":"db1a60bbff220d0910f017477df18cb7","bright":"a87b3e348ccb598ecb71bb83300a2bf8","dark":"e6bb5689beec52c4672bd4df92c3613d","soft":"f5f445528f4a0134354c891fbd95fd07","sharp":"632e93023886160a2a5494cd49aeb729"}','open',1.79534946634372448923e+09);
CREATE INDEX ix_pages_study ON pages (study);
CREATE INDEX ix_exclusions_study ON exclusions (study);
CREATE INDEX ix_events_study ON events (study);
CREATE INDEX ix_answers_participant ON answers (participant);
CREATE INDEX ix_answers_log ON answers (study, id);
CREATE INDEX ix_questions_study ON questions (study, served);
CREATE INDEX ix_questions_pool ON questions (pool_id);
CREATE INDEX ix_questions_out ON questions (participant) WHERE state = 'out';
CREATE INDEX ix_pool_free ON pool (study, id) WHERE taken IS NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',7);
INSERT INTO "sqlite_sequence" VALUES('pool',219);
INSERT INTO "sqlite_sequence" VALUES('answers',43);
INSERT INTO "sqlite_sequence" VALUES('exclusions',1);
COMMIT;
